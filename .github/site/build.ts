/**
 * Writes the site to `docs/`: the README, the guides, the reference, a search, and `llms.txt`. Any warning fails it: a public name
 * without a comment, a link that leads nowhere, a guide that is not listed.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Application, LogLevel, TSConfigReader } from 'typedoc'
import { ENTRIES, GUIDES, MARKET_PAGE, REPOSITORY, SITE } from './contents.ts'
import { writeLlmsFiles } from './llms.ts'
import { makePagesAccessible } from './plugin/accessible-pages.ts'
import { arrangeContents } from './plugin/arrange.ts'
import { linkGuides } from './plugin/guide-links.ts'
import { labelCells } from './plugin/label-cells.ts'
import { nameFiles } from './plugin/name-files.ts'
import { linkNeighbours } from './plugin/neighbours.ts'
import { openNavigation } from './plugin/open-navigation.ts'
import { linkRepository } from './plugin/repository-links.ts'
import { SiteRouter } from './plugin/router.ts'
import { writeSearchIndex } from './plugin/search-index.ts'
import { describePages } from './plugin/social-card.ts'
import { leaveOutBadges } from './plugin/without-badges.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const revision = process.env.GITHUB_SHA ?? 'main'
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

process.chdir(ROOT)
// The README has absolute links, for the page of the registry. What they lead to is a part of the site.
const README = join(ROOT, '.cache/README.md')
const linked = new RegExp(`${REPOSITORY}/(?:blob|tree|raw)/main/`, 'g')
mkdirSync(join(ROOT, '.cache'), { recursive: true })
writeFileSync(README, readFileSync('README.md', 'utf8').replaceAll(linked, '../'))
const app = await Application.bootstrap(
  {
    name: 'etn-market',
    entryPoints: ENTRIES.map((folder) => (folder === '' ? 'src/index.ts' : `src/${folder}/index.ts`)),
    projectDocuments: GUIDES,
    readme: README,
    out: 'docs',
    router: 'site',
    excludeExternals: true,
    excludePrivate: true,
    excludeInternal: true,
    intentionallyNotExported: ['src/generated/operations.ts:table', 'src/fake/rules/routes.ts:ROUTES'],
    // `npm run check` does that.
    skipErrorChecking: true,
    treatWarningsAsErrors: true,
    // Paths are checked by `linkRepository`, which knows folders too.
    // The root exports what users write down; `test/package/api-report.test.ts` looks after the other entries.
    validation: { notExported: false, invalidLink: true, notDocumented: true, invalidPath: false, rewrittenLink: true },
    disableGit: true,
    basePath: ROOT,
    displayBasePath: ROOT,
    gitRevision: revision,
    sourceLinkTemplate: `${REPOSITORY}/blob/{gitRevision}/{path}#L{line}`,
    sort: ['alphabetical-ignoring-documents'],
    sortEntryPoints: false,
    navigation: { includeCategories: true, includeGroups: false, includeFolders: false },
    categorizeByGroup: false,
    useFirstParagraphOfCommentAsSummary: true,
    includeHierarchySummary: false,
    sluggerConfiguration: { lowercase: true },
    ignoredHighlightLanguages: ['haproxy', 'vcl', 'caddy', 'lighttpd'],
    highlightLanguages: [
      'nginx',
      'apache',
      'jsx',
      'bash',
      'sh',
      'console',
      'json',
      'yaml',
      'tsx',
      'typescript',
      'ts',
      'python',
      'toml',
      'html',
      'dockerfile',
    ],
    lightHighlightTheme: 'github-light-high-contrast',
    darkHighlightTheme: 'github-dark-high-contrast',
    customCss: '.github/site/style.css',
    customJs: '.github/site/behaviour.js',
    favicon: '.github/site/favicon.svg',
    headings: { readme: false, document: false },
    hostedBaseUrl: SITE,
    navigationLinks: {
      'Market page': MARKET_PAGE,
      GitHub: REPOSITORY,
      npm: 'https://www.npmjs.com/package/etn-market',
      [`v${version}`]: `${REPOSITORY}/blob/main/CHANGELOG.md`,
    },
    customFooterHtml: `For assistants: <a href="${SITE}llms.txt">llms.txt</a> and <a href="${SITE}llms-full.txt">llms-full.txt</a>`,
    hideGenerator: true,
  },
  [new TSConfigReader()],
)
app.renderer.defineRouter('site', SiteRouter)
arrangeContents(app)
leaveOutBadges(app)
linkRepository(app, { root: ROOT, readme: README, revision })
openNavigation(app)
makePagesAccessible(app)
labelCells(app)
linkNeighbours(app)
linkGuides(app)
nameFiles(app)
describePages(app)
writeSearchIndex(app)
writeLlmsFiles(app)

const project = await app.convert()
if (project !== undefined) {
  app.validate(project)
  await app.generateOutputs(project)
}
if (project === undefined || app.logger.hasErrors() || app.logger.hasWarnings()) process.exitCode = 1
else app.logger.log(`The site is in ${app.options.getValue('out')}`, LogLevel.Info)
