import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readSettings, settingsInFiles } from '#server/settings.ts';
import { useTestApp } from '#test/setup/app.ts';
import { root, testFolder } from '#test/setup/launch.ts';

const folder = join(root, 'examples/deploy/kubernetes');
const settings = readSettings({ SECRETS_KEY: Buffer.alloc(32).toString('base64') });

/** A part of a manifest. The schema check is the first test. */
// biome-ignore lint/suspicious/noExplicitAny: the type of each manifest is different
type Manifest = any;

const read = (name: string): Manifest[] =>
  parseAllDocuments(readFileSync(join(folder, name), 'utf8')).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS();
  });
const files = readdirSync(folder).filter((name) => name !== 'kustomization.yaml');
const manifests = files.flatMap(read);
const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
const workloads = [...ofKind('Deployment'), ...ofKind('Job')];
const [config] = ofKind('ConfigMap');

/** The module of the package `kubernetes-types` that has the types of an API version. */
const moduleOf = (apiVersion: string) =>
  apiVersion === 'v1' ? 'core/v1' : apiVersion.replace('networking.k8s.io', 'networking');

/** Checks manifests against the schema of Kubernetes: unknown fields, missing fields, and values of another type. */
async function problemsOf(checked: readonly Manifest[]): Promise<string> {
  const home = await testFolder();
  await symlink(join(root, 'node_modules'), join(home, 'node_modules'));
  const lines = checked.map(
    (manifest, index) =>
      `export const m${index}: import('kubernetes-types/${moduleOf(manifest.apiVersion)}').${manifest.kind} = ${JSON.stringify(manifest)};`,
  );
  const path = join(home, 'manifests.ts');
  await writeFile(path, lines.join('\n'));
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext', '--types', ''];
  const run = spawnSync(join(root, 'node_modules/.bin/tsc'), [...options, path], {
    encoding: 'utf8',
    cwd: home,
  });
  return run.stdout;
}

describe('the manifests in examples/deploy/kubernetes', () => {
  test('have the schema of Kubernetes', async () => {
    expect(manifests.length).toBeGreaterThanOrEqual(9);
    expect(await problemsOf(manifests)).toBe('');
    // The check finds mistakes.
    const [deployment] = ofKind('Deployment');
    const misspelt = { ...deployment, spec: { ...deployment.spec, replica: 2 } };
    expect(await problemsOf([misspelt])).toMatch(/replica.{1,3} does not exist/);
    const wrong = { ...deployment, spec: { ...deployment.spec, replicas: 'two' } };
    expect(await problemsOf([wrong])).toContain("Type 'string' is not assignable to type 'number'");
  });

  test('are all in the kustomization', () => {
    const [{ resources }] = read('kustomization.yaml');
    expect([...resources].sort()).toEqual([...files].sort());
  });

  test('select the pods that they mean', () => {
    const labelsOf = (name: string) =>
      workloads.find(({ metadata }) => metadata.name === name)?.spec.template.metadata.labels;
    const selectors = [
      ...ofKind('Deployment').map(({ metadata, spec }) => [metadata.name, spec.selector.matchLabels]),
      ...ofKind('PodDisruptionBudget').map(({ metadata, spec }) => [
        metadata.name,
        spec.selector.matchLabels,
      ]),
      ...ofKind('Service').map(({ metadata, spec }) => [metadata.name, spec.selector]),
    ];
    expect(selectors).toHaveLength(5);
    for (const [name, labels] of selectors) expect(labels, name).toEqual(labelsOf(name));
    const [ingress] = ofKind('Ingress');
    const { backend } = ingress.spec.rules[0].http.paths[0];
    const [service] = ofKind('Service');
    expect(backend.service).toEqual({
      name: service.metadata.name,
      port: { name: service.spec.ports[0].name },
    });
  });

  test('set only settings of the service, and mount each file that a setting names', () => {
    const names = Object.keys(config.data);
    const guide = readFileSync(join(root, 'docs/settings.md'), 'utf8');
    const unknown = names.filter((name) => {
      const setting = name.replace(/_FILE$/, '');
      const isFile = setting !== name;
      return isFile
        ? !(settingsInFiles as readonly string[]).includes(setting)
        : !guide.includes(`\`${name}\``);
    });
    expect(unknown).toEqual([]);
    for (const { spec } of workloads) {
      const { containers, volumes } = spec.template.spec;
      const [container] = containers;
      expect(container.envFrom).toEqual([{ configMapRef: { name: config.metadata.name } }]);
      const secrets = container.volumeMounts.find(({ name }: Manifest) => name === 'secrets');
      for (const name of names.filter((name) => name.endsWith('_FILE')))
        expect(config.data[name].startsWith(`${secrets.mountPath}/`)).toBe(true);
      expect(container.volumeMounts.map(({ name }: Manifest) => name)).toEqual(
        volumes.map(({ name }: Manifest) => name),
      );
    }
  });

  test('run programs that exist, without root, capabilities or a writable root', () => {
    for (const { kind, spec } of workloads) {
      const { securityContext, containers } = spec.template.spec;
      const [{ command, securityContext: own, resources }] = containers;
      const program = command.find((word: string) => word.endsWith('.ts'));
      expect(existsSync(join(root, program)), program).toBe(true);
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 1000,
        // The job that migrates reads no files of callers.
        seccompProfile:
          kind === 'Job'
            ? { type: 'RuntimeDefault' }
            : { type: 'Localhost', localhostProfile: 'lingualoop.json' },
      });
      expect(own).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(resources.limits.memory).toMatch(/Gi$/);
    }
  });

  test('deny every connection that no policy allows, and allow only what each kind of pod needs', () => {
    const policies = ofKind('NetworkPolicy');
    const [denial] = policies.filter(({ spec }) => Object.keys(spec.podSelector).length === 0);
    expect(denial.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    const selects = ({ podSelector }: Manifest, labels: Manifest): boolean =>
      Object.entries(podSelector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
      (podSelector.matchExpressions ?? []).every(({ key, values }: Manifest) => values.includes(labels[key]));
    /** For a kind of pod, each allowed port with the peers. */
    const allowed = (direction: 'ingress' | 'egress', name: string) => {
      const { labels } = workloads.find(({ metadata }) => metadata.name === name)!.spec.template.metadata;
      return policies
        .filter(({ spec }) => selects(spec, labels))
        .flatMap(({ spec }) => spec[direction] ?? [])
        .flatMap(({ from, to, ports }: Manifest) => {
          // Without peers or ports, a rule would allow all of them.
          expect([(from ?? to).length > 0, ports.length > 0]).toEqual([true, true]);
          const peers = (from ?? to).map(
            ({ namespaceSelector, ipBlock }: Manifest) =>
              ipBlock?.cidr ?? namespaceSelector.matchLabels['kubernetes.io/metadata.name'],
          );
          return ports.map(({ port }: Manifest) => `${port} ${peers.join(' ')}`);
        })
        .sort();
    };
    const metrics = 'metrics monitoring';
    expect(allowed('ingress', 'api')).toEqual(['http ingress-nginx', metrics]);
    expect(allowed('ingress', 'worker')).toEqual([metrics]);
    expect(allowed('ingress', 'migrate')).toEqual([]);
    const database = ['53 kube-system', '53 kube-system', '5432 10.0.0.10/32'];
    const services = [443, 465, 587].map((port) => `${port} 0.0.0.0/0 ::/0`);
    expect(allowed('egress', 'migrate')).toEqual(database);
    for (const name of ['api', 'worker'])
      expect(allowed('egress', name)).toEqual([...services, ...database].sort());
    // The port of the ingress rule is one that the API has.
    const names = workloads.flatMap(({ spec }) => spec.template.spec.containers[0].ports ?? []);
    expect(names.map(({ name }: Manifest) => name)).toEqual(expect.arrayContaining(['http', 'metrics']));
  });

  test('give a stopping process 300 seconds, and a request more than its deadline', () => {
    for (const { spec } of ofKind('Deployment')) {
      expect(spec.template.spec.terminationGracePeriodSeconds).toBe(300);
      expect(spec.strategy.rollingUpdate.maxUnavailable).toBe(0);
    }
    const { annotations } = ofKind('Ingress')[0].metadata;
    for (const side of ['read', 'send'])
      expect(Number(annotations[`nginx.ingress.kubernetes.io/proxy-${side}-timeout`])).toBeGreaterThan(
        settings.REQUEST_DEADLINE_SECONDS + 30,
      );
  });
});

describe('the probes of the manifests', () => {
  const app = useTestApp();

  test('use ports of their container, and paths with a response of 200', async () => {
    for (const { spec } of ofKind('Deployment')) {
      const [container] = spec.template.spec.containers;
      const ports = new Map(
        container.ports.map(({ name, containerPort }: Manifest) => [name, containerPort]),
      );
      expect(ports.get('metrics')).toBe(readSettings({ METRICS: config.data.METRICS }).METRICS?.port);
      if (ports.has('http')) expect(ports.get('http')).toBe(settings.PORT);
      for (const name of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
        const { path, port } = container[name].httpGet;
        expect(ports.has(port), name).toBe(true);
        expect((await app.request(path)).status, path).toBe(200);
      }
    }
  });
});
