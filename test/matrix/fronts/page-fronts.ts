import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../support/project.ts'
import { type Front, fronts, type Place } from './fronts.ts'

/** A front with the configuration that the guide has for it. */
export interface PageFront extends Front {
  /** What it makes of the headers of a visitor who has written them. */
  readonly forwardedFor?: string
}

/** The first block of code below a heading of the guide. */
function blockOf(heading: string): string {
  const guide = readFileSync(join(ROOT, 'src/proxy/GUIDE.md'), 'utf8')
  const [, section = ''] = guide.split(`\n### ${heading}\n`)
  const [, block] = /^```\w+\n(.*?)^```$/ms.exec(section.split('\n#')[0] ?? '') ?? []
  if (block === undefined) throw new Error(`src/proxy/GUIDE.md has no block for ${heading}.`)
  return block
}

/** The block, with the ports of this place in place of the usual ones. */
const placed = (heading: string, { port, upstream }: Place) =>
  blockOf(heading)
    .replace('127.0.0.1:3000', `127.0.0.1:${upstream}`)
    .replace(/"3000"/, `"${upstream}"`)
    .replace(/"port" => 3000/, `"port" => ${upstream}`)
    .replace(/listen 80;/, `listen 127.0.0.1:${port};`)
    .replace('<VirtualHost *:80>', `<VirtualHost 127.0.0.1:${port}>`)
    .replace('bind :80', `bind 127.0.0.1:${port}`)
    .replace(/^:80 /m, `http://127.0.0.1:${port} `)
    .replace('server.port = 80', `server.port = ${port}`)

const like = (name: string): Front => {
  const front = fronts.find((each) => each.name === name)
  if (front === undefined) throw new Error(`No front is called ${name}.`)
  return front
}

const nginxFile = (
  servers: string,
  folder: string,
) => `daemon off; master_process off; pid ${folder}/pid; error_log /dev/null;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/a; proxy_temp_path ${folder}/b; fastcgi_temp_path ${folder}/c;
  uwsgi_temp_path ${folder}/d; scgi_temp_path ${folder}/e;
  gzip on; gzip_types *; gzip_min_length 1; gzip_proxied any;
  ${servers}
}
`

/** The part of a file that stands before the block: modules, and where everything is. */
const before = (name: string, place: Place, file: string, from: RegExp) =>
  (like(name).files(place)[file] ?? '').replace(from, '')

/** Those of the guide. They compress whatever they can. */
export const pageFronts: readonly PageFront[] = [
  {
    ...like('nginx'),
    files: (place) => ({ 'nginx.conf': nginxFile(placed('nginx', place), place.folder) }),
  },
  {
    ...like('nginx'),
    name: 'nginx behind nginx',
    files(place) {
      const socket = `unix:${place.folder}/inner`
      const outer = placed('nginx', place).replace(`http://127.0.0.1:${place.upstream}`, `http://${socket}`)
      const inner = placed('nginx behind nginx', place).replace('listen 8080', `listen ${socket}`)
      return { 'nginx.conf': nginxFile(outer + inner, place.folder) }
    },
  },
  {
    ...like('Apache'),
    files: (place) => ({
      'apache.conf': `${before('Apache', place, 'apache.conf', /^Proxy.*$/gm)}
LoadModule headers_module /usr/lib/apache2/modules/mod_headers.so
LoadModule filter_module /usr/lib/apache2/modules/mod_filter.so
LoadModule deflate_module /usr/lib/apache2/modules/mod_deflate.so
SetOutputFilter DEFLATE
${placed('Apache', place)}`,
    }),
  },
  {
    ...like('HAProxy'),
    files: (place) => ({
      'haproxy.cfg': placed('HAProxy', place).replace(
        'backend market\n',
        '$&  compression algo gzip\n  compression type text/event-stream application/json\n',
      ),
    }),
  },
  { ...like('Varnish'), files: (place) => ({ 'default.vcl': placed('Varnish', place) }) },
  {
    ...like('Caddy'),
    files: (place) => ({
      Caddyfile: `{\n  admin off\n  auto_https off\n}\n${placed('Caddy', place)}`,
    }),
  },
  {
    ...like('lighttpd'),
    forwardedFor: '192.0.2.1, 127.0.0.1',
    files: (place) => ({
      'lighttpd.conf': `server.document-root = "${place.folder}"
server.bind = "127.0.0.1"
server.errorlog = "/dev/null"
${placed('lighttpd', place)}`,
    }),
  },
]
