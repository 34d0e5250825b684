import { readFileSync } from 'node:fs'
import { join } from 'node:path'

// Usage: node check-release.mjs <tag> [folder]. Exits with 1 unless tag, package.json and changelog name the same version, and nothing is left
// under Unreleased: what is in the release is said under its own heading.
const [tag = '', folder = '.'] = process.argv.slice(2)
const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const changelog = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')

/** The text below the heading of the version, up to the next heading; undefined without that heading. */
function notesOf(wanted) {
  const section = changelog.split(/^## /m).find((text) => /^\[?([^\]\s]+)/.exec(text)?.[1] === wanted)
  return section?.split('\n').slice(1).join('\n').trim()
}

const notes = notesOf(version)
if (tag !== `v${version}`) fail(`the tag is "${tag}", but package.json has the version ${version}`)
if (notes === undefined) fail(`CHANGELOG.md has no heading for ${version}`)
if (notes === '') fail(`CHANGELOG.md has no text for ${version}`)
if (notesOf('Unreleased')) fail(`CHANGELOG.md has text under Unreleased: move it below ${version}`)

function fail(problem) {
  process.stderr.write(`${problem}\n`)
  process.exitCode = 1
}
