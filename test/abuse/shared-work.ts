import { createBenchTenant } from '#test/bench/service.ts';
import { type Attack, percentiles, type Target } from './measure-attack.ts';

/** A request of the attacker. */
type Send = (target: Target, key: string, index: number) => Promise<Response>;

interface Crowd {
  title: string;
  /** Number of requests, and of those that are sent at the same time. */
  requests: number;
  concurrent: number;
  send: Send;
  /** Prepares the workspace of the attacker. */
  prepare?(target: Target, key: string): Promise<void>;
}

/** An attacker sends requests with much work, while another workspace translates small texts, one after the other. */
function crowd({ title, requests, concurrent, send, prepare }: Crowd): Attack {
  let [attacker, victim] = ['', ''];
  return {
    title,
    async prepare(target) {
      attacker = (await createBenchTenant(target.address)).apiKey;
      victim = (await createBenchTenant(target.address)).apiKey;
      await prepare?.(target, attacker);
      for (let warm = 0; warm < 5; warm++) await translate(target, victim, `Warm ${warm}`);
    },
    async run(target) {
      const statuses = new Map<number, number>();
      const rest = Array.from({ length: requests }, (_, index) => index).values();
      let open = concurrent;
      const lanes = Array.from({ length: concurrent }, async () => {
        for (const index of rest) {
          const { status } = await send(target, attacker, index).catch(() => ({ status: 0 }));
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
        open -= 1;
      });
      const times: number[] = [];
      let failed = 0;
      for (let count = 0; open > 0 || count < 20; count++) {
        const start = performance.now();
        if ((await translate(target, victim, `Text ${count}`).catch(() => 0)) !== 200) failed += 1;
        times.push(performance.now() - start);
      }
      await Promise.all(lanes);
      const { p50, p99, max } = percentiles(times);
      return {
        'texts of another workspace': `${times.length} asked, ${failed} failed, p50 ${p50}, p99 ${p99}, max ${max} ms`,
        'responses to the attacker': [...statuses]
          .map(([status, count]) => `${count} × ${status}`)
          .join(', '),
      };
    },
  };
}

async function translate({ address }: Target, key: string, source_text: string): Promise<number> {
  const answer = await fetch(`${address}/api/translations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ source_text, source_lang: 'en', target_lang: 'de' }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

async function consumed(answer: Response): Promise<Response> {
  await answer.arrayBuffer();
  return answer;
}

const rpc = async ({ address }: Target, key: string, path: string, input: unknown): Promise<Response> =>
  consumed(
    await fetch(`${address}/trpc/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ json: input }),
    }),
  );

const sentence = (index: number) =>
  `Sentence ${index} of the file, which explains how the parts of the whole machine are cleaned, tested and put together, is about ${['pumps', 'valves', 'filters', 'motors', 'cables'][index % 5]} in part ${index % 97}.`;

/** 3 MB: 12,000 keys and texts, each of which is a segment. */
const largeFile = JSON.stringify(
  Object.fromEntries(
    Array.from({ length: 12_000 }, (_, index) => [
      `${'a key of the file '.repeat(5)}${index}`,
      sentence(index),
    ]),
  ),
);

export const estimates = crowd({
  title: '40 estimates of a file of 3 MB at the same time',
  requests: 40,
  concurrent: 40,
  async send({ address }, key, index) {
    const form = new FormData();
    form.set('source_document', new File([largeFile], `file ${index}.json`));
    form.set('target_lang', 'de');
    form.set('dry_run', 'true');
    return consumed(
      await fetch(`${address}/api/documents/translate`, {
        method: 'POST',
        headers: { 'x-api-key': key },
        body: form,
      }),
    );
  },
});

const alignedFile = (translated: boolean) => ({
  file_name: 'sentences.txt',
  content: Buffer.from(
    Array.from({ length: 9000 }, (_, index) =>
      translated
        ? `Satz ${index} der Datei handelt von ${['Pumpen', 'Ventilen', 'Filtern', 'Motoren', 'Kabeln'][index % 5]} in Teil ${index % 97}.`
        : sentence(index),
    ).join('\n\n'),
  ).toString('base64'),
});

export const alignments = crowd({
  title: '8 alignments of 9,000 sentences at the same time, 16 in all',
  requests: 16,
  concurrent: 8,
  send: (target, key) =>
    rpc(target, key, 'memory.align', {
      source_file: alignedFile(false),
      target_file: alignedFile(true),
      source_lang: 'en',
      target_lang: 'de',
    }),
});

const attributes = Array.from({ length: 500_000 }, (_, index) => `a${index}="1"`).join(' ');

export const xliffAttributes = crowd({
  title: '8 XLIFF documents with 500,000 attributes at the same time, 24 in all',
  requests: 24,
  concurrent: 8,
  async prepare(target, key) {
    const answer = await fetch(`${target.address}/api/documents/translate?wait=true`, {
      method: 'POST',
      headers: { 'x-api-key': key },
      body: documentForm(),
    });
    document = ((await answer.json()) as { id: string }).id;
  },
  send: async ({ address }, key) =>
    consumed(
      await fetch(`${address}/api/documents/${document}/review`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/xliff+xml' },
        body: `<?xml version="1.0"?><xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="de"><file id="f" ${attributes}/></xliff>`,
      }),
    ),
});

let document = '';

function documentForm(): FormData {
  const form = new FormData();
  form.set('source_document', new File(['{"a": "Hello"}'], 'a.json'));
  form.set('target_lang', 'de');
  return form;
}

/** Saves rules that are as slow as the limits allow, and sends texts to which they apply. */
export const slowPatterns = crowd({
  title: 'texts with slow segmentation rules, 8 at the same time, 200 in all',
  requests: 200,
  concurrent: 8,
  prepare: async (target, key) => {
    const pattern = '(?:x?y?z?){300}|.*';
    const rules = `<srx version="2.0"><header cascade="yes"/><body><languagerules><languagerule languagerulename="a">${'<rule break="yes"><beforebreak>[ab. ]{390}a[ab. ]*</beforebreak><afterbreak>\\s</afterbreak></rule>'.repeat(10)}</languagerule></languagerules><maprules><languagemap languagepattern="${pattern}" languagerulename="a"/></maprules></body></srx>`;
    await rpc(target, key, 'segmentation.save', { name: 'slow', srx: rules });
  },
  send: async ({ address }, key, index) =>
    consumed(
      await fetch(`${address}/api/translations`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        body: JSON.stringify({ source_text: `${index} ${'ab. Ab a b. '.repeat(200)}`, target_lang: 'de' }),
      }),
    ),
});

/** Saves placeholders that are as slow as the limits allow, and sends files to which they apply: 12,000 texts each. */
export const slowPlaceholders = crowd({
  title: 'files of 3 MB with slow placeholders, 2 at the same time, 4 in all',
  requests: 4,
  concurrent: 2,
  prepare: async (target, key) => {
    const placeholders = ['(?:.{0,280})\\d\\d\\d\\d\\d\\d\\d', '(?:[a-z ]?[a-z]?){48}\\d'];
    const saved = await rpc(target, key, 'textRules.save', { keys: [], attributes: [], placeholders });
    if (saved.status !== 200) throw new Error(`the placeholders were not saved: ${saved.status}`);
  },
  async send({ address }, key, index) {
    const form = new FormData();
    form.set('source_document', new File([largeFile], `file ${index}.json`));
    form.set('target_lang', 'de');
    form.set('wait', 'true');
    return consumed(
      await fetch(`${address}/api/documents/translate`, {
        method: 'POST',
        headers: { 'x-api-key': key },
        body: form,
      }),
    );
  },
});

/** Programs as patterns, with the key of the attacker, and without any. */
export const patternPrograms = crowd({
  title: 'patterns that are programs: saved, as redaction and in searches, 4 at the same time, 24 in all',
  requests: 24,
  concurrent: 4,
  async send(target, key, index) {
    const program = '\\pL{1000}'.repeat(22);
    if (index % 3 === 0)
      return rpc(target, index % 2 === 0 ? '' : key, 'segmentation.save', {
        name: 'a',
        srx: `<srx version="2.0"><body><languagerules/><maprules><languagemap languagepattern="${program}" languagerulename="a"/></maprules></body></srx>`,
      });
    if (index % 3 === 1)
      return consumed(
        await fetch(`${target.address}/api/tenants/security`, {
          method: 'PATCH',
          headers: { 'content-type': 'application/json', 'x-api-key': key },
          body: JSON.stringify({
            redaction: {
              kinds: [],
              patterns: Array.from({ length: 20 }, (_, n) => `${program.slice(0, 190)}${index}${n}`),
            },
          }),
        }),
      );
    const input = encodeURIComponent(
      JSON.stringify({ json: { document_id: 'x', pattern: `${'\\pL{0,999}'.repeat(18)}${index}` } }),
    );
    return consumed(
      await fetch(`${target.address}/trpc/documents.search?input=${input}`, {
        headers: { 'x-api-key': key },
      }),
    );
  },
});
