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

/**
 * Measures what requests to models contain for each byte of the source in them: the whole prompt, with the schema. Tokens are
 * words, groups of digits, signs and spaces, which is near to the tokens of models; cached ones begin an earlier request
 * to the same model.
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
        print(`    ${role.padEnd(18)} ${requests.length} requests, ${costOf(requests)}`);
      }
    }
  }, env);
}

function costOf(requests: readonly RecordedRequest[]): string {
  const source = requests
    .flatMap((one) => askedOf(one).data.segments.map((segment) => segment.text ?? segment.source))
    .join('');
  const prompts = requests.map(({ body }) => body.messages.map(({ content }) => content));
  const schema = JSON.stringify(requests[0]!.body.response_format?.json_schema?.schema ?? '').length;
  const sizeOf = (texts: string[]) => Buffer.byteLength(texts.join('')) + schema;
  const total = prompts.reduce((sum, texts) => sum + sizeOf(texts), 0);
  const tokens = prompts.map((texts) => tokensOf(texts.join('\n')));
  const all = tokens.reduce((sum, { length }) => sum + length, 0);
  const cached = tokens.reduce(
    (sum, one, at) => sum + Math.max(0, ...tokens.slice(0, at).map((other) => commonLength(one, other))),
    0,
  );
  return `${(total / Buffer.byteLength(source)).toFixed(2)} bytes of prompt a byte of source, ${(all / source.length).toFixed(3)} tokens a character, ${((100 * cached) / all).toFixed(0)}% of them cached; instructions ${prompts[0]![0]!.length}, schema ${schema} bytes`;
}

const tokensOf = (text: string) => text.match(/ ?\p{L}+|\p{N}{1,3}|\s+|[^\p{L}\p{N}\s]/gu) ?? [];

function commonLength(one: readonly string[], other: readonly string[]): number {
  const end = one.findIndex((token, index) => token !== other[index]);
  return end < 0 ? one.length : end;
}
