import { type Application, Converter } from 'typedoc'

/** Badges come from other hosts, which a visitor of the site need not tell what is read here. */
const BADGES = /<!-- badges:start -->.*<!-- badges:end -->\s*/s

/** Leaves the badges of the README out. */
export function leaveOutBadges(app: Application): void {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    const part = project.readme?.find(({ text }) => BADGES.test(text))
    if (part === undefined) app.logger.warn('The README has no badges: without-badges.ts is not needed')
    else part.text = part.text.replace(BADGES, '')
  })
}
