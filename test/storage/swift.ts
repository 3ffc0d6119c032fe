import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#db/embedded/secrets.ts';
import { poll } from '#test/setup/poll.ts';
import { openByUrl, s3Credentials } from './s3-server.ts';

/** Whether Debian's OpenStack Swift, a real service with the S3 API, can be started. */
export const isSwiftInstalled = existsSync('/usr/bin/swift-proxy-server');

const { AWS_ACCESS_KEY_ID: user, AWS_SECRET_ACCESS_KEY: secret } = s3Credentials;

let started: ReturnType<typeof launch> | undefined;

/** Starts Swift with one device in a temporary folder, once for each test process, and creates the bucket `bucket`. */
export function startSwift() {
  started ??= launch();
  return started;
}

async function launch() {
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-swift-'));
  await mkdir(join(folder, 'devices/d1'), { recursive: true });
  const owner = execFileSync('id', ['-un'], { encoding: 'utf8' }).trim();
  const common = `bind_ip = 127.0.0.1
user = ${owner}
swift_dir = ${folder}
workers = 0
log_address = /dev/null
`;
  const ports: Record<string, number> = {};
  for (const kind of ['account', 'container', 'object', 'proxy']) ports[kind] = await freePort();
  for (const kind of ['account', 'container', 'object']) {
    await writeFile(
      join(folder, `${kind}.conf`),
      `[DEFAULT]
bind_port = ${ports[kind]}
${common}devices = ${folder}/devices
mount_check = false
[pipeline:main]
pipeline = ${kind}-server
[app:${kind}-server]
use = egg:swift#${kind}
`,
    );
    const ring = (...given: string[]) =>
      execFileSync('swift-ring-builder', [join(folder, `${kind}.builder`), ...given], { stdio: 'pipe' });
    ring('create', '4', '1', '1');
    ring('add', `r1z1-127.0.0.1:${ports[kind]}/d1`, '1');
    ring('rebalance');
  }
  await writeFile(
    join(folder, 'proxy.conf'),
    `[DEFAULT]
bind_port = ${ports['proxy']}
${common}[pipeline:main]
pipeline = catch_errors cache listing_formats s3api tempauth proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
allow_multipart_uploads = false
[filter:tempauth]
use = egg:swift#tempauth
user_${user.replace(':', '_')} = ${secret} .admin
`,
  );
  const processes: ChildProcess[] = ['account', 'container', 'object', 'proxy'].map((kind) =>
    // Ends with this process, even if that is killed.
    spawn('setpriv', ['--pdeathsig', 'KILL', `/usr/bin/swift-${kind}-server`, join(folder, `${kind}.conf`)], {
      env: { PATH: '/usr/bin:/bin' },
      stdio: process.env['SWIFT_LOG'] ? 'inherit' : 'ignore',
    }),
  );
  const url = `s3://bucket?endpoint=http://127.0.0.1:${ports['proxy']}`;
  const store = openByUrl(url);
  const { CreateBucketCommand, S3Client } = await import('@aws-sdk/client-s3');
  const endpoint = `http://127.0.0.1:${ports['proxy']}`;
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, maxAttempts: 1 });
  await poll(
    async () =>
      client.send(new CreateBucketCommand({ Bucket: 'bucket' })).then(
        () => true,
        () => false,
      ),
    120,
  );
  return {
    url,
    open: () => openByUrl(url),
    async empty() {
      for (const top of await store.listFolders()) await store.removeFolder(top);
    },
    async stop() {
      for (const one of processes) one.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
