import { readFile } from 'node:fs/promises';
import { askedOf, type RecordedRequest, startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { createBenchTenant } from './bench-service.ts';
import { translate } from './documents/whole-jobs.ts';
import { wordReport } from './documents/word-file.ts';
import { requirePremise } from './load.ts';
import { withService } from './with-service.ts';

const labels = [
  'Save',
  'Delete the file',
  'Cancel',
  'Your changes were not saved',
  'Open in a new window',
  'Settings',
];
/** A file of the texts of an interface. */
const interfaceTexts = JSON.stringify(
  Object.fromEntries(
    Array.from({ length: 300 }, (_, n) => [`screen.label_${n}`, `${labels[n % labels.length]} ${n}`]),
  ),
);

const files: readonly [name: string, read: () => Promise<Uint8Array<ArrayBuffer>>][] = [
  ['A report of 30 pages.docx', async () => wordReport(30)],
  ['An interface of 300 texts.json', async () => new TextEncoder().encode(interfaceTexts)],
  [
    'A form of 4 pages.docx',
    async () => new Uint8Array(await readFile('test/corpus/docx/form-footnotes-tables.docx')),
  ],
];

/** The part of its price that a cached byte costs, at most endpoints, and the bytes from which a beginning is cached. */
const cachedPrice = 0.1;
const leastCached = 4 * 1024;

/**
 * Measures what requests to models contain for each byte of the source in them: the whole prompt, with the schema, which
 * endpoints put before it. Bytes can be cached if they begin an earlier request of the same document. How many are, depends
 * on the endpoint: the price counts only beginnings of at least 4 KiB (1,024 tokens), at a tenth.
 */
export async function benchModelCost(print: (line: string) => void): Promise<void> {
  await using fake = await startFakeOpenAi();
  fake.otherwise(translatingReply());
  const env = { OPENAI_API_KEY: 'bench', OPENAI_BASE_URL: fake.baseUrl };
  await withService(async ({ service: { address } }) => {
    for (const [name, read] of files) {
      const tenant = await createBenchTenant(address);
      fake.requests.length = 0;
      await translate(address, tenant, name, await read());
      const roles = Map.groupBy(fake.requests, (request) => askedOf(request).role);
      print(`${name.replace(/\.\w+$/, '')}: ${fake.requests.length} requests`);
      for (const role of ['translation', 'segment_assessment', 'repair'] as const) {
        const requests = roles.get(role) ?? [];
        requirePremise(role === 'repair' || requests.length > 0, `the document causes a ${role}`);
        if (requests.length === 0) continue;
        print(
          `    ${role.padEnd(18)} ${requests.length} requests, ${costOf(requests, sourceOf(roles.get('translation') ?? []))}`,
        );
      }
    }
  }, env);
}

function sourceOf(requests: readonly RecordedRequest[]): number {
  const segments = requests.flatMap((one) => askedOf(one).data.segments);
  return Buffer.byteLength(segments.map(({ text, source }) => text ?? source).join(''));
}

/** @param document bytes of the source of the document */
function costOf(requests: readonly RecordedRequest[], document: number): string {
  const schema = JSON.stringify(requests[0]!.body.response_format?.json_schema?.schema ?? '');
  const prompts = requests.map(({ body }) =>
    Buffer.from([schema, ...body.messages.map(({ content }) => content)].join('\n')),
  );
  const total = prompts.reduce((sum, { length }) => sum + length, 0);
  const shared = prompts.map((one, at) =>
    Math.max(0, ...prompts.slice(0, at).map((other) => commonLength(one, other))),
  );
  const sum = (bytes: readonly number[]) => bytes.reduce((all, length) => all + length, 0);
  const price = total - (1 - cachedPrice) * sum(shared.filter((bytes) => bytes >= leastCached));
  const per = (bytes: number, of: number) => (bytes / of).toFixed(2);
  return `${per(total, sourceOf(requests))} bytes of prompt a byte of source (${per(total, document)} a byte of the document), ${((100 * sum(shared)) / total).toFixed(0)}% of them cacheable, ${per(price, sourceOf(requests))} at their price; instructions ${requests[0]!.body.messages[0]!.content.length}, schema ${schema.length} bytes`;
}

function commonLength(one: Buffer, other: Buffer): number {
  const end = one.findIndex((byte, index) => byte !== other[index]);
  return end < 0 ? one.length : end;
}
