import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Signup } from '#test/setup/app.ts';
import type { Attack } from './measure-attack.ts';

/** A request of a stranger: its input takes seconds to compile. */
interface Strike {
  method: 'GET' | 'PATCH' | 'POST';
  path: string;
  body?: string;
  /** Requests per second. */
  rate: number;
}

/** A pattern of RE2 whose program has 1,000 instructions for each 9 characters. */
const pattern = (times: number) => '\\pL{1000}'.repeat(times);

/** Segmentation rules whose only language has a pattern as its code. */
function rules(times: number): string {
  const srx =
    '<srx version="2.0"><header segmentsubflows="yes" cascade="no"/><body><languagerules><languagerule languagerulename="D">' +
    '<rule break="yes"><beforebreak>a</beforebreak><afterbreak>b</afterbreak></rule></languagerule></languagerules>' +
    `<maprules><languagemap languagepattern="${pattern(times)}" languagerulename="D"/></maprules></body></srx>`;
  return JSON.stringify({ name: 'a', srx });
}

const patterns = Array.from({ length: 20 }, (_, n) => `${n}${pattern(21)}`);
const search = encodeURIComponent(JSON.stringify({ document_id: 'a', pattern: '\\pL{0,999}'.repeat(20) }));

export const strikes = {
  'stranger-rules': { method: 'POST', path: '/trpc/segmentation.save', body: rules(22), rate: 4 },
  'stranger-long-rules': { method: 'POST', path: '/trpc/segmentation.save', body: rules(220), rate: 4 },
  'stranger-patterns': {
    method: 'PATCH',
    path: '/api/tenants/security',
    body: JSON.stringify({ redaction: { kinds: [], patterns }, redaction_before: { kinds: [], patterns } }),
    rate: 4,
  },
  'stranger-search': { method: 'GET', path: `/trpc/documents.search?input=${search}`, rate: 4 },
} as const satisfies Record<string, Strike>;

/** The milliseconds and the status of a request. */
async function timed(ask: () => Promise<Response>): Promise<{ ms: number; status: number }> {
  const began = performance.now();
  const response = await ask();
  await response.arrayBuffer();
  return { ms: performance.now() - began, status: response.status };
}

const at = (values: readonly number[], share: number) =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0);

/** Strikes without a credential, while another workspace sends texts one after the other. */
export function attackOfStranger({ method, path, body, rate }: Strike, seconds = 20): Attack {
  let neighbour: Signup;
  return {
    title: `${method} ${path.split('?')[0]} with ${body?.length ?? path.length} bytes, ${rate} a second, without a credential`,

    async prepare({ address }) {
      const { signUp, json } = connect(address);
      neighbour = await signUp();
      // The first texts compile code.
      for (let n = 0; n < 10; n++)
        await json('POST', '/api/translations', {
          headers: neighbour.headers,
          body: { source_text: `Warm ${n}`, target_lang: 'fr' },
        });
    },

    async run({ address }) {
      const { request } = connect(address);
      const headers: Record<string, string> = body ? { 'content-type': 'application/json' } : {};
      const end = performance.now() + seconds * 1000;
      const struck: Promise<{ ms: number; status: number }>[] = [];
      const texts: { ms: number; status: number }[] = [];
      const strike = async () => {
        for (; performance.now() < end; await sleep(1000 / rate))
          struck.push(timed(() => request(path, { method, headers, ...(body && { body }) })));
      };
      const send = async () => {
        for (let n = 0; performance.now() < end; n++)
          texts.push(
            await timed(() =>
              request('/api/translations', {
                method: 'POST',
                headers: { 'content-type': 'application/json', ...neighbour.headers },
                body: JSON.stringify({ source_text: `Hello ${n}`, target_lang: 'fr' }),
              }),
            ),
          );
      };
      await Promise.all([strike(), send()]);
      const answers = await Promise.all(struck);
      const took = texts.map(({ ms }) => ms);
      return {
        'statuses of the stranger': [...new Set(answers.map(({ status }) => status))].join(', '),
        'slowest answer to the stranger, ms': Math.round(Math.max(...answers.map(({ ms }) => ms))),
        texts: texts.filter(({ status }) => status === 200).length,
        'failed texts': texts.filter(({ status }) => status !== 200).length,
        'text p50, ms': at(took, 0.5),
        'text p99, ms': at(took, 0.99),
      };
    },
  };
}

export const strangers = Object.fromEntries(
  Object.entries(strikes).map(([name, strike]) => [name, attackOfStranger(strike)]),
);
