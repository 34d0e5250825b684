import type { FakeFront } from 'etn-market/fake'
import type { FaultName } from './trials.ts'

/** Where a front listens and sends requests to, and the folder for its files. */
export interface Place {
  readonly port: number
  readonly upstream: number
  readonly folder: string
}

/** A reverse proxy of Debian, with the configuration that people copy, and a time-out of two seconds where it has one. */
export interface Front {
  readonly name: string
  readonly program: string
  /** Prints the version. */
  readonly version: readonly string[]
  /** Its configuration files by name. */
  readonly files: (place: Place) => Readonly<Record<string, string>>
  /** Arguments that run it in the foreground. */
  readonly args: (place: Place) => readonly string[]
  readonly env?: (place: Place) => Record<string, string>
  /** How many requests of one call it sends again, over all attempts of the client. @default none */
  readonly sendsAgain?: Partial<Record<FaultName, number>>
  /** The names by which the fake plays its answers, by what it lost. */
  readonly plays?: Partial<Record<FaultName, FakeFront>>
}

/** What differs between two configurations of one program. */
type Variant = Pick<Front, 'name' | 'sendsAgain' | 'plays'>

function nginx({
  http = '',
  host,
  location = '',
  server = '',
  ...variant
}: Variant & { http?: string; host?: string; location?: string; server?: string }): Front {
  return {
    ...variant,
    program: 'nginx',
    version: ['-v'],
    files: ({ port, upstream, folder }) => ({
      'sorry.html': '<html><body>Sorry</body></html>',
      'nginx.conf': `daemon off; master_process off; pid ${folder}/pid; error_log /dev/null;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/a; proxy_temp_path ${folder}/b; fastcgi_temp_path ${folder}/c;
  uwsgi_temp_path ${folder}/d; scgi_temp_path ${folder}/e;
  ${http.replaceAll('UPSTREAM', `127.0.0.1:${upstream}`)}
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://${host ?? `127.0.0.1:${upstream}`}; proxy_read_timeout 2s; ${location} }
    ${server.replaceAll('FOLDER', folder)}
  }
}
`,
    }),
    args: ({ folder }) => ['-p', folder, '-c', `${folder}/nginx.conf`, '-e', '/dev/null'],
  }
}
const KEPT = {
  http: 'upstream service { server UPSTREAM; keepalive 8; }',
  host: 'service',
  location: 'proxy_http_version 1.1; proxy_set_header Connection "";',
}

function varnish({ vcl = '', ...variant }: Variant & { vcl?: string }): Front {
  return {
    ...variant,
    program: 'varnishd',
    version: ['-V'],
    files: ({ upstream }) => ({
      'default.vcl': `vcl 4.1;
backend default { .host = "127.0.0.1"; .port = "${upstream}"; .first_byte_timeout = 2s; }
${vcl}
`,
    }),
    args: ({ port, folder }) => [
      ...['-F', '-a', `127.0.0.1:${port}`, '-f', `${folder}/default.vcl`, '-n', `${folder}/work`],
      ...['-s', 'malloc,8m'],
    ],
  }
}

function haproxy({ backend = '', ...variant }: Variant & { backend?: string }): Front {
  return {
    ...variant,
    program: 'haproxy',
    version: ['-v'],
    files: ({ port, upstream }) => ({
      'haproxy.cfg': `defaults
  mode http
  timeout connect 1s
  timeout client 10s
  timeout server 2s
frontend public
  bind 127.0.0.1:${port}
  default_backend service
backend service
  ${backend}
  server one 127.0.0.1:${upstream}
`,
    }),
    args: ({ folder }) => ['-db', '-q', '-f', `${folder}/haproxy.cfg`],
  }
}

function caddy({ transport = '', ...variant }: Variant & { transport?: string }): Front {
  return {
    ...variant,
    program: 'caddy',
    version: ['version'],
    files: ({ port, upstream }) => ({
      Caddyfile: `{
  admin off
  auto_https off
}
http://127.0.0.1:${port} {
  reverse_proxy 127.0.0.1:${upstream} {
    transport http {
      response_header_timeout 2s
      ${transport}
    }
  }
}
`,
    }),
    args: ({ folder }) => ['run', '--adapter', 'caddyfile', '--config', `${folder}/Caddyfile`],
    env: ({ folder }) => ({ HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }),
  }
}

const apache: Front = {
  name: 'Apache',
  plays: { 'reset each time': 'apache' },
  program: 'apache2',
  version: ['-v'],
  files: ({ port, upstream, folder }) => ({
    'apache.conf': `ServerRoot ${folder}
PidFile ${folder}/pid
DefaultRuntimeDir ${folder}
ServerName localhost
ErrorLog /dev/null
Listen 127.0.0.1:${port}
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule proxy_module /usr/lib/apache2/modules/mod_proxy.so
LoadModule proxy_http_module /usr/lib/apache2/modules/mod_proxy_http.so
User www-data
Group www-data
ProxyTimeout 2
ProxyPass / http://127.0.0.1:${upstream}/
ProxyPassReverse / http://127.0.0.1:${upstream}/
`,
  }),
  args: ({ folder }) => ['-X', '-f', `${folder}/apache.conf`],
}

const lighttpd: Front = {
  name: 'lighttpd',
  plays: { 'reset each time': 'lighttpd' },
  program: 'lighttpd',
  version: ['-v'],
  files: ({ port, upstream, folder }) => ({
    'lighttpd.conf': `server.document-root = "${folder}"
server.bind = "127.0.0.1"
server.port = ${port}
server.modules = ("mod_proxy")
server.errorlog = "/dev/null"
proxy.server = ("" => (("host" => "127.0.0.1", "port" => ${upstream}, "read-timeout" => 2)))
`,
  }),
  args: ({ folder }) => ['-D', '-f', `${folder}/lighttpd.conf`],
}

const squid: Front = {
  name: 'Squid',
  plays: { 'reset each time': 'squid' },
  program: 'squid',
  version: ['-v'],
  files: ({ port, upstream, folder }) => ({
    'squid.conf': `http_port 127.0.0.1:${port} accel defaultsite=localhost no-vhost
cache_peer 127.0.0.1 parent ${upstream} 0 no-query no-digest originserver login=PASSTHRU
http_access allow all
read_timeout 2 seconds
forward_timeout 3 seconds
connect_timeout 1 second
shutdown_lifetime 0 seconds
pid_filename ${folder}/squid.pid
cache_log /dev/null
access_log none
cache_store_log none
coredump_dir ${folder}
cache deny all
pinger_enable off
visible_hostname front
`,
  }),
  args: ({ folder }) => ['-N', '-f', `${folder}/squid.conf`],
}

const h2o: Front = {
  name: 'h2o',
  plays: { 'reset each time': 'h2o' },
  program: 'h2o',
  version: ['-v'],
  files: ({ port, upstream, folder }) => ({
    'h2o.conf': `num-threads: 1
error-log: /dev/null
pid-file: ${folder}/pid
hosts:
  default:
    listen:
      host: 127.0.0.1
      port: ${port}
    paths:
      "/":
        proxy.reverse.url: http://127.0.0.1:${upstream}/
        proxy.timeout.io: 2000
`,
  }),
  args: ({ folder }) => ['-c', `${folder}/h2o.conf`],
}

const nghttpx: Front = {
  name: 'nghttpx',
  plays: { 'reset each time': 'nghttpx' },
  program: 'nghttpx',
  version: ['-v'],
  files: () => ({ empty: '' }),
  args: ({ port, upstream, folder }) => [
    ...[`--conf=${folder}/empty`, `--frontend=127.0.0.1,${port};no-tls`, `--backend=127.0.0.1,${upstream}`],
    ...[
      '--backend-read-timeout=2s',
      '--workers=1',
      '--single-process',
      '--errorlog-file=/dev/null',
      '--accesslog-file=/dev/null',
    ],
  ],
}

function trafficServer({ records = '', ...variant }: Variant & { records?: string }): Front {
  return {
    ...variant,
    program: 'traffic_server',
    version: ['-V'],
    files: ({ port, upstream, folder }) => ({
      'runroot.yaml': `prefix: ${folder}
exec_prefix: /usr
bindir: /usr/bin
sbindir: /usr/bin
sysconfdir: ${folder}
datadir: ${folder}
includedir: /usr/include
libdir: /usr/lib
libexecdir: /usr/lib/trafficserver/modules
localstatedir: ${folder}
runtimedir: ${folder}
logdir: ${folder}
mandir: ${folder}
infodir: ${folder}
cachedir: ${folder}
`,
      'records.config': `CONFIG proxy.config.http.server_ports STRING ${port}:ip-in=127.0.0.1
CONFIG proxy.config.url_remap.remap_required INT 1
CONFIG proxy.config.http.cache.http INT 0
CONFIG proxy.config.admin.user_id STRING trafficserver
CONFIG proxy.config.http.transaction_no_activity_timeout_out INT 2
CONFIG proxy.config.http.connect_attempts_timeout INT 1
CONFIG proxy.config.diags.output.error STRING L
CONFIG proxy.config.exec_thread.autoconfig INT 0
CONFIG proxy.config.exec_thread.limit INT 1
${records}
`,
      'remap.config': `map http://127.0.0.1:${port}/ http://127.0.0.1:${upstream}/\n`,
      'storage.config': `${folder} 16M\n`,
      'ip_allow.yaml': 'ip_allow:\n  - apply: in\n    ip_addrs: 127.0.0.1\n    action: allow\n    methods: ALL\n',
    }),
    args: ({ folder }) => ['--run-root', `${folder}/runroot.yaml`],
    env: ({ folder }) => ({ TS_RUNROOT: folder }),
  }
}

/** The connection that breaks was a kept one. On a new one nothing is sent again. */
const ONCE = { 'reset once': 1, 'reset each time': 1 }

export const fronts: readonly Front[] = [
  nginx({ name: 'nginx', plays: { 'reset each time': 'nginx', silent: 'nginx-timeout' } }),
  nginx({
    name: 'nginx, error_page of a missing file',
    location: 'error_page 502 504 /50x.html;',
    server: 'location = /50x.html { root FOLDER; }',
    plays: { 'reset each time': 'nginx-missing-page' },
  }),
  nginx({
    name: 'nginx, error_page with status 200',
    location: 'error_page 502 504 =200 /sorry.html;',
    server: 'location = /sorry.html { root FOLDER; }',
    plays: { 'reset each time': 'nginx-sorry-page' },
  }),
  nginx({ name: 'nginx, keepalive', ...KEPT, sendsAgain: ONCE }),
  nginx({
    name: 'nginx, keepalive, not sent again',
    ...KEPT,
    location: `${KEPT.location} proxy_next_upstream off;`,
  }),
  apache,
  caddy({ name: 'Caddy', sendsAgain: ONCE, plays: { 'reset each time': 'caddy', silent: 'caddy-timeout' } }),
  caddy({ name: 'Caddy, not sent again', transport: 'keepalive off' }),
  h2o,
  haproxy({ name: 'HAProxy', plays: { 'reset each time': 'haproxy', silent: 'haproxy-timeout' } }),
  haproxy({
    name: 'HAProxy, retry-on',
    backend: 'retry-on all-retryable-errors',
    sendsAgain: { 'reset once': 1, 'reset each time': 6, silent: 3, busy: 9, failing: 9 },
  }),
  lighttpd,
  nghttpx,
  squid,
  trafficServer({
    name: 'Traffic Server',
    sendsAgain: { 'reset once': 1, 'reset each time': 6, silent: 3 },
    plays: { 'reset each time': 'traffic-server' },
  }),
  trafficServer({
    name: 'Traffic Server, not sent again',
    records: 'CONFIG proxy.config.http.connect_attempts_max_retries INT 0',
  }),
  varnish({ name: 'Varnish', sendsAgain: ONCE, plays: { 'reset each time': 'varnish', silent: 'varnish' } }),
  varnish({
    name: 'Varnish, not sent again',
    vcl: 'sub vcl_backend_fetch { set bereq.http.connection = "close"; }',
  }),
]
