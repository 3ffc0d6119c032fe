import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import {
  addDocument,
  addSegmentation,
  env,
  type Fields,
  found,
  type Person,
  submit,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { cpuTime } from '#test/setup/cpu-time.ts';

const app = useTestApp({ env });

let admin: Person;
beforeEach(async () => {
  admin = await found(app);
});

/** Programs of a few characters. Before they were weighed, the process compiled each of them, for up to 47 s. */
const programs = [
  '\\pL{1000}'.repeat(22),
  '\\pL{1000}|.*',
  '\\pL{0,999}x',
  '((a{1,30}){1,30}){1,30}',
  '[^\\pL\\pM]{1000}',
  `(?i)${'[b-\\x{1e942}]'.repeat(14)}`,
];

/**
 * CPU milliseconds of the event loop for one request: with rate limits, transactions and JSON. The smallest program above takes
 * more.
 */
const limit = 250;

const rpc = (path: string, type: 'query' | 'mutation', input: Fields) =>
  viaRpc(app, { path, type }, { input, headers: admin.bearer });

const srxOf = (languages: readonly string[], rule = ';') =>
  `<srx version="2.0"><header segmentsubflows="yes" cascade="yes"/><body><languagerules><languagerule languagerulename="a"><rule break="yes"><beforebreak>${rule}</beforebreak><afterbreak>\\s</afterbreak></rule></languagerule></languagerules><maprules>${languages.map((pattern) => `<languagemap languagepattern="${pattern}" languagerulename="a"/>`).join('')}</maprules></body></srx>`;

interface Door {
  name: string;
  /** Sends a pattern, or as many as fit. */
  send(pattern: string): Promise<{ status: number; body: unknown }>;
  /** Whether the door takes many patterns at once. */
  takesMany: boolean;
}

const saveSrx = (srx: string) => rpc('segmentation.save', 'mutation', { name: 'a.srx', srx });
const saveRedaction = (patterns: readonly string[], before?: readonly string[]) =>
  app.json('PATCH', '/api/tenants/security', {
    headers: admin.bearer,
    body: {
      redaction: { kinds: [], patterns },
      ...(before && { redaction_before: { kinds: [], patterns: before } }),
    },
  });

let documentId: string;
const doors: Door[] = [
  { name: 'a language of segmentation', send: (pattern) => saveSrx(srxOf([pattern])), takesMany: false },
  {
    name: 'languages of segmentation',
    send: (pattern) => saveSrx(srxOf(Array(200).fill(pattern))),
    takesMany: true,
  },
  { name: 'a rule of segmentation', send: (pattern) => saveSrx(srxOf(['.*'], pattern)), takesMany: false },
  { name: 'redaction', send: (pattern) => saveRedaction([pattern.slice(0, 200)]), takesMany: false },
  {
    name: '40 patterns of redaction',
    send: (pattern) =>
      saveRedaction(Array(20).fill(pattern.slice(0, 200)), Array(20).fill(pattern.slice(0, 200))),
    takesMany: true,
  },
  {
    name: 'the search in a document',
    send: (pattern) =>
      rpc('documents.search', 'query', { document_id: documentId, pattern: pattern.slice(0, 200) }),
    takesMany: false,
  },
];

test.each(doors)('$name: a program is refused by its size, without being compiled', async ({ send }) => {
  documentId = await addDocument(app, admin);
  await send('a');
  for (const pattern of programs) {
    let answer: Awaited<ReturnType<Door['send']>> | undefined;
    const took = await cpuTime(async () => {
      answer = await send(pattern);
    });
    expect([answer?.status, JSON.stringify(answer?.body)], pattern).toEqual([
      422,
      expect.stringMatching(/parts with all repetitions written out; at most [\d]+ are allowed/),
    ]);
    expect(took, pattern).toBeLessThan(limit);
  }
});

test.each(doors)(
  '$name: the largest patterns that are allowed do not hold up the event loop',
  async (door) => {
    documentId = await addDocument(app, admin);
    await door.send('b');
    for (const pattern of door.takesMany ? ['\\pL{99}x', '(?:x?y){240}'] : ['\\pL{390}x', '(?:x?y){900}']) {
      const took = await cpuTime(() => door.send(pattern));
      expect(took, pattern).toBeLessThan(limit);
    }
  },
);

test('the search ignores case without a flag: wide ranges count', async () => {
  documentId = await addDocument(app, admin);
  const search = (pattern: string) =>
    rpc('documents.search', 'query', { document_id: documentId, pattern }).then(({ status }) => status);
  expect(await search('[b-\\x{1e942}]'.repeat(14))).toBe(422);
  expect(await search('[\\x{4e00}-\\x{9fff}]{2,9}')).toBe(200);
});

test('segmentation rules from before patterns had a limit: texts get the built-in rules', async () => {
  await addSegmentation(app, admin);
  for (const [at, stored] of [srxOf(programs.slice(0, 2)), srxOf(['.*'], programs[0])].entries()) {
    await app.services.database.inTenant(admin.tenantId, (tx) =>
      tx.execute(sql`update segmentation_rules set srx = ${stored}, hash = ${`old ${at}`}`),
    );
    const took = await cpuTime(() => submit(app, admin, { source_text: `First ${at}; second. Third.` }));
    expect(took).toBeLessThan(limit);
    const again = await rpc('segmentation.save', 'mutation', { name: 'old', srx: stored });
    expect(again.status).toBe(422);
  }
});

test('redaction patterns from before there was a limit can be read, and replaced by smaller ones', async () => {
  const stored = ['\\pL{1000}'.repeat(22), 'CN-\\d{6}'];
  await app.services.database.inTenant(admin.tenantId, (tx) =>
    tx.execute(
      sql`update tenants set metadata = metadata || ${JSON.stringify({ redaction: { kinds: [], patterns: stored, terms: [] } })}::jsonb
        where tenant_id = ${admin.tenantId}`,
    ),
  );
  const save = (patterns: readonly string[]) =>
    app.json('PATCH', '/api/tenants/security', {
      headers: admin.bearer,
      body: {
        redaction: { kinds: [], patterns },
        redaction_before: { kinds: [], patterns: stored, terms: [] },
      },
    });
  expect((await save(stored)).status).toBe(422);
  expect((await save(['CN-\\d{6}'])).status).toBe(200);
});
