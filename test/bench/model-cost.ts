import { readFile } from 'node:fs/promises';
import { askedOf, type RecordedRequest, startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { createBenchTenant } from './bench-service.ts';
import { translate } from './documents/whole-jobs.ts';
import { wordReport } from './documents/word-file.ts';
import { requirePremise } from './load.ts';
import { withService } from './with-service.ts';

const labels = ['Save', 'Delete the file', 'Cancel', 'Your changes were not saved', 'Open in a new window', 'Settings'];
/** A file of the texts of an interface. */
const interfaceTexts = JSON.stringify(
  Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`screen.label_${n}`, `${labels[n % labels.length]} ${n}`])),
);

const files: readonly [name: string, read: () => Promise<Uint8Array<ArrayBuffer>>][] = [
  ['A report of 30 pages.docx', async () => wordReport(30)],
  ['An interface of 300 texts.json', async () => new TextEncoder().encode(interfaceTexts)],
  ['A form of 4 pages.docx', async () => new Uint8Array(await readFile('test/corpus/docx/form-footnotes-tables.docx'))],
];

/**
 * Measures what requests to models contain for each byte of a document: the whole prompt, with the schema. Tokens are
 * words, groups of digits, signs and blanks, which is near to the tokens of models; cached ones begin an earlier request
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
      const translated = fake.requests.filter((one) => askedOf(one).role === 'translation');
      const judged = fake.requests.filter((one) => askedOf(one).role === 'segment_assessment');
      const source = translated.flatMap((one) => askedOf(one).data.segments.map(({ text }) => text)).join('');
      requirePremise(judged.length > 0 && source.length > 1000, 'a model translates and judges the document');
      print(
        `${name.replace(/\.\w+$/, '')}: ${source.length} characters, ${fake.requests.length} requests (${translated.length} to translate, ${judged.length} to judge)`,
      );
      for (const [what, requests] of [
        ['translate', translated],
        ['judge    ', judged],
      ] as const)
        print(`    ${what} ${costOf(requests, Buffer.byteLength(source), source.length)}`);
    }
  }, env);
}

function costOf(requests: readonly RecordedRequest[], bytes: number, characters: number): string {
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
  return `${(total / bytes).toFixed(2)} bytes of prompt a byte of source, ${(all / characters).toFixed(3)} tokens a character, ${((100 * cached) / all).toFixed(0)}% of them cached; instructions ${prompts[0]![0]!.length}, schema ${schema} bytes`;
}

const tokensOf = (text: string) => text.match(/\p{L}+|\p{N}{1,3}|\s+|[^\p{L}\p{N}\s]/gu) ?? [];

function commonLength(one: readonly string[], other: readonly string[]): number {
  const end = one.findIndex((token, index) => token !== other[index]);
  return end < 0 ? one.length : end;
}
