import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { settingNames, settingsInFiles } from '#server/settings/environment.ts';
import { formerSettingNames } from '#server/settings.ts';
import { importsOf } from '#test/architecture/modules.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const dockerfile = read('Dockerfile');
/** The stage of the Dockerfile that becomes the image. */
const image = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));

/** The settings for which the image has its own values. */
const ofTheImage = settingNames.filter((name) => new RegExp(`^ENV .*\\b${name}=`, 'm').test(image));

test('compose.yaml passes every setting that the image does not set', () => {
  const compose = read('compose.yaml');
  const block = compose.slice(compose.indexOf('x-environment:'), compose.indexOf('\nservices:'));
  const passed = [...block.matchAll(/^ {2}([A-Z_]+): (.*)$/gm)];
  const isFormer = (name = '') => formerSettingNames.includes(name.replace(/_FILE$/, ''));
  const names = passed.map(([, name]) => name).filter((name) => !isFormer(name));
  expect(new Set(names).size).toBe(names.length);
  // The file itself sets these. Only the container that migrates has the URL of the tables' owner.
  const owner = 'DATABASE_MIGRATION_URL';
  const files = settingsInFiles.filter((name) => !['DATABASE_URL', owner, 'SECRETS_KEY'].includes(name));
  const own = settingNames.filter((name) => name !== owner);
  const migrate = compose.slice(compose.indexOf('\n  migrate:'), compose.indexOf('\n  api:'));
  expect([compose.split(owner).length, migrate.split(owner).length]).toEqual([2, 2]);
  const expected = [...own, ...files.map((name) => `${name}_FILE`)];
  expect([...names, ...ofTheImage].toSorted()).toEqual(expected.toSorted());
  for (const [, name, value] of passed)
    if (name !== 'DATABASE_URL' && name !== 'METRICS') expect(value).toMatch(new RegExp(`^\\$\\{${name}:`));
  // A file of variables may have former names. METRICS is built from one of them.
  const former = passed.map(([, name = '']) => name).filter((name) => isFormer(name) && !/_FILE$/.test(name));
  expect([...former, 'METRICS_TOP_WORKSPACES'].toSorted()).toEqual(formerSettingNames.toSorted());
  for (const service of ['api', 'worker'])
    expect(compose).toMatch(new RegExp(`^  ${service}:\\n(    .*\\n)*    environment: \\*environment$`, 'm'));
});

test('the containers of the service have a read-only root, no capabilities, and limits', () => {
  const compose = read('compose.yaml');
  const service = compose.slice(compose.indexOf('x-service:'), compose.indexOf('x-environment:'));
  const options = 'security_opt: [no-new-privileges:true, seccomp=docker/seccomp.json]';
  for (const line of ['read_only: true', 'cap_drop: [ALL]', options])
    expect(service).toMatch(new RegExp(`^  ${line.replace(/[[\]]/g, '\\$&')}$`, 'm'));
  // A proxy on the same host has TLS.
  const ports = [...compose.matchAll(/^ {4}ports:\n((?: {6}.*\n)+)/gm)].flatMap(([, lines]) =>
    lines?.match(/- .*/g),
  );
  expect(ports).toEqual(['- 127.0.0.1:8080:8080']);
  expect(service).toMatch(/^ {2}tmpfs:\n {4}- \/tmp:size=\d+m,mode=1777$/m);
  expect(service).toMatch(/^ {2}mem_limit: \d+g$/m);
  expect(service).toMatch(/^ {2}pids_limit: \d+$/m);
  for (const name of ['api', 'worker'])
    expect(compose).toMatch(new RegExp(`^  ${name}:\\n    <<: \\*service$`, 'm'));
});

test('all images are pinned by their digest', () => {
  const stages = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, name]) => name);
  const images = [...read('compose.yaml').matchAll(/^ *image: (\S+)$/gm)].map(([, name]) => name);
  expect([stages.length, images.length]).toEqual([4, 1]);
  for (const name of [...stages, ...images]) expect(name).toMatch(/^[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
  expect(new Set(stages).size).toBe(1);
});

test('the seccomp profile allows the namespaces of file readers, and nothing else that needs privileges', () => {
  const { defaultAction, syscalls, ...rest } = JSON.parse(read('docker/seccomp.json'));
  expect([defaultAction, rest.defaultErrnoRet]).toEqual(['SCMP_ACT_ERRNO', 1]);
  // Kubernetes reads only the format of OCI, which has no conditions: rules with them would always apply.
  const keys = new Set(syscalls.flatMap((rule: object) => Object.keys(rule)));
  expect([...keys].sort()).toEqual(['action', 'args', 'errnoRet', 'names']);
  const rules = (call: string) => syscalls.filter(({ names }: { names: string[] }) => names.includes(call));
  for (const call of ['mount', 'chroot', 'read'])
    expect(rules(call)).toEqual([expect.objectContaining({ action: 'SCMP_ACT_ALLOW' })]);
  // All namespaces of the level `namespaces`, and those of the level `network`.
  const flags = rules('unshare').map(({ args }: { args: { value: number }[] }) => args[0]?.value);
  expect(flags).toEqual([0x7c020000, 0x50000000]);
  const none =
    'umount2 pivot_root setns bpf keyctl add_key perf_event_open open_by_handle_at io_uring_setup userfaultfd';
  for (const call of `${none} init_module kexec_load reboot swapon settimeofday`.split(' '))
    expect([call, rules(call)]).toEqual([call, []]);
  // With this error, programs use `mount` and `clone`, which the profile can restrict.
  for (const call of ['clone3', 'fsopen', 'open_tree', 'mount_setattr'])
    expect(rules(call)).toEqual([expect.objectContaining({ action: 'SCMP_ACT_ERRNO', errnoRet: 38 })]);
  expect(rules('clone')[0].args[0]).toMatchObject({ value: 0x7e020000, op: 'SCMP_CMP_MASKED_EQ' });
});

test('the image is asked whether it is ready, runs as an unprivileged user, and Node itself gets the signals', () => {
  expect(image).toMatch(/^HEALTHCHECK .*CMD \["node", "server\/commands\/probe\.ts"\]$/m);
  expect(image).toMatch(/^USER node$/m);
  expect(image).toMatch(/^CMD \["node", /m);
  expect(read('compose.yaml')).not.toMatch(/^ *user:|privileged|healthcheck:\s*\n\s*disable/m);
  expect(dockerfile).toContain('npm ci --omit=dev');
});

/** All modules that these processes can load, and all packages that the modules import. */
function loadedBy(entries: readonly string[]): { files: Set<string>; packages: Set<string> } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const waiting = [...entries];
  for (let named = waiting.pop(); named !== undefined; named = waiting.pop()) {
    // The entry points are links.
    const file = relative(root, realpathSync(join(root, named)));
    if (files.has(file)) continue;
    files.add(file);
    // Node removes imports of types when it runs a file.
    const source = read(file).replace(/^(import|export) type [^;]*;/gm, '');
    for (const { to } of importsOf(root, file, source)) {
      // Comments may contain quotation marks, too.
      if (/^npm:[@\w./-]+$/.test(to)) packages.add(to.slice(4));
      else if (/^[\w./-]+\.ts$/.test(to)) waiting.push(to);
    }
  }
  return { files, packages };
}

test('the image has every file that its processes load, and every package among the dependencies', () => {
  const copied = [...image.matchAll(/^COPY (?:--from=\S+ )?(.+) \S+$/gm)].flatMap(([, paths]) =>
    (paths as string).split(' ').map((path) => path.replace(/^\/app\//, '')),
  );
  const { files, packages } = loadedBy([
    'server/main.ts',
    'workers/main.ts',
    'server/commands/probe.ts',
    'server/commands/migrate.ts',
    'server/commands/admin/main.ts',
    'server/commands/verify-store/main.ts',
    'server/platform/sandbox/child.ts',
  ]);
  expect(files.size).toBeGreaterThan(300);
  for (const file of files)
    expect(
      copied.filter((path) => file === path || file.startsWith(`${path}/`)),
      `${file} is not copied`,
    ).not.toEqual([]);
  const { dependencies, optionalDependencies } = JSON.parse(read('package.json'));
  const installed = Object.keys({ ...dependencies, ...optionalDependencies });
  for (const name of packages) expect(installed, name).toContain(name);
  // All paths that are copied from the build context must be in the repository.
  for (const [, paths] of dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm))
    for (const path of (paths as string).split(' ')) {
      expect(existsSync(join(root, path)), path).toBe(true);
      expect(spawnSync('git', ['ls-files', path], { cwd: root, encoding: 'utf8' }).stdout, path).not.toBe('');
    }
  expect(statSync(join(root, 'docker/create-role.sh')).isFile()).toBe(true);
});

const daemon = spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0;
if (!daemon)
  console.log('Docker is not running here: the image is not built (test/operations/image.test.ts)');

test.skipIf(!daemon)(
  'the image builds from a clean clone, has no dev dependencies, and is healthy as an unprivileged user',
  async () => {
    const docker = (...args: string[]) => {
      const { status, stdout, stderr } = spawnSync('docker', args, { cwd: root, encoding: 'utf8' });
      if (status !== 0) throw new Error(`docker ${args[0]}: ${stderr}`);
      return stdout.trim();
    };
    const tag = `lingualoop-test-${process.pid}`;
    const { stdout: input } = spawnSync('git', ['archive', 'HEAD'], { cwd: root, maxBuffer: 2 ** 30 });
    const built = spawnSync('docker', ['build', '-t', tag, '-'], { input, encoding: 'utf8' });
    expect(built.status, built.stderr).toBe(0);
    try {
      expect(docker('run', '--rm', tag, 'id', '-u')).not.toBe('0');
      const absent = 'test ! -e node_modules/vitest -a ! -e node_modules/vite -a ! -e node_modules/react';
      docker('run', '--rm', tag, 'sh', '-c', absent);
      const id = docker('run', '-d', tag);
      const inspect = (field: string) => docker('inspect', '-f', `{{.State.${field}}}`, id);
      try {
        await expect.poll(() => inspect('Health.Status'), { timeout: 120_000 }).toBe('healthy');
        docker('stop', id);
        expect(inspect('ExitCode')).toBe('0');
      } finally {
        docker('rm', '-f', id);
      }
    } finally {
      docker('rmi', '-f', tag);
    }
  },
  900_000,
);
