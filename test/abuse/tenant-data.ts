import { viaRpc } from '#test/contract/call.ts';
import { corpusFile } from '#test/corpus/files.ts';
import { addDocument, addStyleGuide, type Fields, type Person, type Server } from '#test/factories.ts';
import { filled, hostileNames, hostileTexts } from './hostile-data.ts';

/** A step of the attack: requests of the hostile workspace, one after the other. */
export interface Step {
  name: string;
  run(): Promise<unknown>;
}

/** The longest text that the service accepts. */
const longest = 50_000;

/** Functions that send requests of a member, and fail if the service fails: any other status is fine. */
function requestsOf(server: Server, person: Person) {
  const headers = person.bearer;
  const answered = (what: string, status: number) => {
    if (status >= 500) throw new Error(`${what} answered ${status}`);
  };
  return {
    async rest(method: string, path: string, body?: unknown) {
      const answer = await server.json(method, path, { headers, body });
      answered(path, answer.status);
      return answer;
    },
    async rpc(path: string, type: 'query' | 'mutation', input: Fields = {}) {
      const answer = await viaRpc(server, { path, type }, { input, headers });
      answered(path, answer.status);
      return answer;
    },
    async form(path: string, fields: Record<string, string | File>) {
      const body = new FormData();
      for (const [name, value] of Object.entries(fields)) body.append(name, value as Blob);
      const answer = await server.request(path, { method: 'POST', headers, body });
      answered(path, answer.status);
      await answer.arrayBuffer();
      return answer;
    },
  };
}

/**
 * Stores the worst data that the limits allow, in each place that a workspace can store something. The later steps use
 * this data.
 */
export function storingSteps(server: Server, person: Person): Step[] {
  const { rest, form, rpc } = requestsOf(server, person);
  const steps: Step[] = [];
  const step = (name: string, run: () => Promise<unknown>) => void steps.push({ name, run });
  step('forbidden words of repeated letters', () =>
    addStyleGuide(server, person, {
      rules: filled('\u202eA. {a} <b>"', 4000),
      quotation_marks: '“”',
      spacing: 'narrow_no_break',
      formality: 'formal',
      forbidden_words: Array.from({ length: 200 }, (_, n) => ({
        term: n % 2 === 0 ? 'a'.repeat(100 - n / 2) : `${'a '.repeat(40)}${n}`,
        use_instead: `${filled('"a" ', 90)}${n}`,
      })),
    }),
  );
  step('forbidden words of near-equal words and marks', () =>
    addStyleGuide(server, person, {
      target_lang: 'de',
      forbidden_words: Array.from({ length: 200 }, (_, n) => ({
        term: `${['aaaaaaaab ', '1.1,', '\u0300\u0301', '👩‍👩‍👧‍👦', '. '][n % 5]!.repeat(6)}${n}`
          .trim()
          .slice(0, 100),
        use_instead: null,
      })),
    }),
  );
  const csv = (rows: readonly string[]) =>
    new File([['source,target', ...rows].join('\n')], 'terms.csv', { type: 'text/csv' });
  const terms = (name: string, source: string, target: string, term: (n: number) => string) =>
    step(`a glossary of ${name}`, () =>
      form('/api/terminology', {
        terminology_file: csv(Array.from({ length: 1990 }, (_, n) => term(n))),
        name: hostileNames[steps.length % hostileNames.length] as string,
        source_lang: source,
        target_lang: target,
      }),
    );
  terms(
    'near-equal terms',
    'en',
    'de',
    (n) => `${'a'.repeat(90 - (n % 80))} ${n},${'a'.repeat(80 - (n % 70))}`,
  );
  terms(
    'one-letter words',
    'en',
    'fr',
    (n) => `${'a '.repeat(20 + (n % 20))}${n % 7},${'1.'.repeat(20)}${n}`,
  );
  terms('markup and marks', 'en', 'ja', (n) => `"<b>${n} {a} \u0300\u202e","=cmd|' ${n} 👩‍👩‍👧‍👦"`);
  for (const [name, piece] of [
    ['near-equal units', 'aaaaaaaab '],
    ['units of one letter', 'a'],
    ['units of marks', '\u0300\u202e👩‍👩‍👧‍👦. '],
  ] as const)
    step(`a TM of ${name}`, () => {
      const units = Array.from(
        { length: 3000 },
        (_, n) =>
          `<tu><tuv xml:lang="en"><seg>${filled(piece, 300)} ${n}</seg></tuv><tuv xml:lang="de"><seg>${filled(piece, 300)} ${n}</seg></tuv></tu>`,
      );
      const file = `<?xml version="1.0"?><tmx version="1.4"><header srclang="en" datatype="plaintext" segtype="sentence" adminlang="en" o-tmf="x" creationtool="x" creationtoolversion="1"/><body>${units.join('')}</body></tmx>`;
      return form('/api/tm', {
        tmx_file: new File([file], 'units.tmx', { type: 'application/xml' }),
        ...{ name: `${name} <b>{a}\u202e`, source_lang: 'en', target_lang: 'de' },
      });
    });
  step('invites and names', async () => {
    for (const name of hostileNames) {
      await rest('POST', '/api/tenants/invites', { email: `${name.replaceAll(/[^a-z]/g, '')}@example.org` });
      await rpc('apiKeys.create', 'mutation', { name, scopes: ['read'], password: person.password });
    }
  });
  return steps;
}

/** Submits each hostile text, and runs every check, review, export and search over it. */
export function textSteps(server: Server, person: Person): Step[] {
  const { rest, rpc } = requestsOf(server, person);
  return Object.entries(hostileTexts(longest)).map(([name, text], at) => ({
    name: `a text of ${name}`,
    async run() {
      const target_lang = ['de', 'fr', 'ja'][at % 3] as string;
      const source = [...text].slice(0, longest).join('');
      const { body: job } = await rest('POST', '/api/translations', {
        ...{ source_text: source, target_lang, domain: filled(source.slice(0, 100), 900).slice(0, 1000) },
        metadata: { note: text.slice(0, 8000), [text.slice(0, 100)]: 1, sensitive: true },
        ...(at % 2 === 1 && { text_type: 'Html' }),
      });
      await rpc('memory.matches', 'query', {
        ...{ source_text: text.slice(0, 2000), source_lang: 'en', target_lang: 'de' },
      });
      if (job.id === undefined) return;
      const { id } = job;
      await rpc('translations.check', 'mutation', { job_id: id, text: text.repeat(2).slice(0, 99_000) });
      await rpc('reviews.comment', 'mutation', { kind: 'job', id, body: filled(text.slice(0, 12), 3900) });
      const review = `/api/translations/${id}/review`;
      const changed = `${text.slice(0, 49_000)} ${at}`;
      await rest('POST', review, { action: 'save', final_translation: changed, notes: text.slice(0, 9000) });
      await rpc('translations.search', 'query', { contains: text.slice(0, 90), limit: 20 });
      await rest('POST', review, { action: 'modify', final_translation: changed });
      for (const format of ['txt', 'docx', 'pdf'])
        await rest('GET', `/api/translations/${id}/golden?format=${format}`);
      await rest('GET', `/api/translations/${id}`);
    },
  }));
}

/** Translates documents whose segments are hostile, and reviews them in the editor. */
export function documentSteps(server: Server, person: Person): Step[] {
  const { rest, rpc } = requestsOf(server, person);
  const texts = Object.entries(hostileTexts(2000));
  const json = (length: number) =>
    JSON.stringify(
      Object.fromEntries(Object.entries(hostileTexts(length)).map(([name, text]) => [name, text])),
    );
  const markdown = texts.map(([, text]) => text.replaceAll(/\s+/g, ' ')).join('\n\n');
  const files: [name: string, content: string | Uint8Array][] = [
    ['{a} =cmd <b>.json', json(2000)],
    ['\u202elong segments.json', json(40_000)],
    [`${'a'.repeat(240)}.md`, markdown],
    ['page.html', `<p>${texts.map(([, text]) => text.replaceAll('<', '&lt;')).join('</p>\n<p>')}</p>`],
    [
      'many.json',
      JSON.stringify(Array.from({ length: 20_000 }, (_, n) => `aaaaaaaab ${n % 7} aaaaaaaac ${n}`)),
    ],
    ['equal.json', JSON.stringify(Array.from({ length: 20_000 }, () => 'a a a a'))],
    ['form.docx', corpusFile('docx/kitchen-sink.docx')],
  ];
  return files.map(([name, content]) => ({
    name: `a document ${name.slice(0, 20)}`,
    async run() {
      const source_document = new File([content as Uint8Array<ArrayBuffer>], name);
      const id = await addDocument(server, person, { source_document, target_lang: 'de' }).catch(
        () => undefined,
      );
      if (!id) return;
      const query = (path: string, input: Fields = {}) => rpc(path, 'query', { document_id: id, ...input });
      for (const path of ['outline', 'boxes', 'history']) await query(`documents.${path}`);
      await query('documents.search', { text: 'aaaaaaaab aaaaaaa' });
      const { body } = await rest('GET', `/api/documents/${id}/segments?limit=100`);
      const segments: { position: number; target_text: string }[] = body.segments ?? [];
      for (const { position, target_text } of segments.slice(0, 30)) {
        await rpc('documents.check', 'mutation', { document_id: id, segments: [{ position, target_text }] });
        await rpc('documents.save', 'mutation', {
          document_id: id,
          segments: [
            { position, target_text: `${target_text} ${position}`.slice(0, 49_000), replaces: target_text },
          ],
        });
        await rpc('reviews.comment', 'mutation', {
          ...{ kind: 'document', id, position, body: target_text.slice(0, 3900) || 'a' },
        });
      }
      await rpc('documents.confirmAll', 'mutation', { document_id: id });
      await rest('GET', `/api/documents/${id}/xliff`);
      await rest('POST', `/api/documents/${id}/approve`, { confirm_critical: true });
      await rest('GET', `/api/documents/${id}/artifacts`);
    },
  }));
}

/** Reads every list and screen of the workspace. */
export function screenSteps(server: Server, person: Person): Step[] {
  const { rest, rpc } = requestsOf(server, person);
  const queries: [path: string, input?: Fields][] = [
    ['translations.search', {}],
    ['translations.search', { contains: 'aaaaaaaab' }],
    ['translations.counts'],
    ['reviews.inbox'],
    ['reviews.texts', { filter: {} }],
    ['reviews.mentions'],
    ['memory.browse', {}],
    ['memory.browse', { text: 'aaaaaaaaaaaaaaaaaaaa' }],
    ['memory.concordance', { text: 'aaaaaaaab a', source_lang: 'en', target_lang: 'de' }],
    ['memory.list'],
    ['terminology.list'],
    ['styleGuides.list'],
    ['apiKeys.list'],
    ['audit.list'],
    ['members.list'],
    ['members.listInvites'],
    ['usage.breakdown'],
    ['documents.list'],
    ['events.list'],
    ['exports.list'],
  ];
  const paths = ['/api/translations?limit=200', '/api/documents?limit=200', '/api/tm', '/api/terminology'];
  return [
    ...queries.map(([path, input = {}]) => ({
      name: `${path} ${JSON.stringify(input)}`,
      run: () => rpc(path, 'query', input),
    })),
    ...paths.map((path) => ({ name: path, run: () => rest('GET', path) })),
    {
      name: 'the terms and exports of each set',
      async run() {
        for (const { id } of (await rest('GET', '/api/terminology')).body) {
          for (const sort of ['place', 'source', 'target'])
            await rpc('terminology.terms', 'query', { set_id: id, sort });
          await rpc('terminology.exportTbx', 'query', { set_id: id });
        }
        for (const { id } of (await rest('GET', '/api/tm')).body) await rest('GET', `/api/tm/${id}/export`);
        await rest('GET', '/api/tm/export/golden?source_lang=en&target_lang=de');
      },
    },
  ];
}
