import { beforeAll, describe, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import type { Fields, Headers } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, type Sets } from './sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const pair = { source_lang: 'en', target_lang: 'fr' };

const ask = (input: Fields, headers: Headers) =>
  viaRpc(app, { path: 'memory.concordance', type: 'query' }, { input: { ...pair, ...input }, headers });

let mine: Sets;
beforeAll(async () => {
  mine = await openSets(app);
  await mine.memory([
    ['The port is open. Port 8080!', 'Le port est ouvert.'],
    ['An important report', 'Un rapport important'],
    ['C++ (part 1) costs $5', 'C++ coûte 5 $'],
    ['ΟΔΟΣ and οδός', 'rue'],
    ['我们的厨房关门了', 'La cuisine est fermée'],
  ]);
  await mine.memory([['Another port', 'Un autre port']], { name: 'More' });
  await mine.memory([['A port', 'Ein Hafen']], { name: 'German', target_lang: 'de' });
});

/** The units that a search finds, each with the parts that its spans mark. */
async function find(text: string, input: Fields = {}, of = mine) {
  const { status, body } = await ask({ text, ...input }, of.headers);
  expect(status, JSON.stringify(body)).toBe(200);
  const side = input['side'] ?? 'source';
  return body.units
    .map((unit: Record<string, string> & { spans: { start: number; end: number }[] }) => [
      unit['source_text'],
      unit.spans.map(({ start, end }) => unit[`${side}_text`]?.slice(start, end)),
    ])
    .sort();
}

describe('memory.concordance', () => {
  test('finds a text in the sources of all sets of the pair, and says where it stands', async () => {
    expect(await find('port')).toEqual([
      ['An important report', ['port', 'port']],
      ['Another port', ['port']],
      ['The port is open. Port 8080!', ['port', 'Port']],
    ]);
  });

  test('finds whole words only, if asked to', async () => {
    expect(await find('port', { whole_words: true })).toEqual([
      ['Another port', ['port']],
      ['The port is open. Port 8080!', ['port', 'Port']],
    ]);
    expect(await find('open. port', { whole_words: true })).toEqual([
      ['The port is open. Port 8080!', ['open. Port']],
    ]);
  });

  test('finds a text in the targets', async () => {
    expect(await find('IMPORTANT', { side: 'target' })).toEqual([['An important report', ['important']]]);
    expect(await find('cou\u0302te', { side: 'target' })).toEqual([['C++ (part 1) costs $5', ['coûte']]]);
    expect(await find('Hafen', { side: 'target' })).toEqual([]);
  });

  test.each([
    ['C++', ['C++']],
    ['$5', ['$5']],
  ])('takes %s as it is written, whole words or not', async (text, spans) => {
    for (const whole_words of [false, true])
      expect(await find(text, { whole_words })).toEqual([['C++ (part 1) costs $5', spans]]);
  });

  test.each(['[', '(a+)+$', 'p.rt', '%port%'])('does not read %s as a pattern', async (text) => {
    expect(await find(text)).toEqual([]);
    expect(await find(text, { whole_words: true })).toEqual([]);
  });

  test('goes on behind units that are no whole words', async () => {
    const other = await openSets(app);
    const units = Array.from({ length: 400 }, (_, n): [string, string] => [
      n === 399 ? 'a cat' : `concatenate ${n}`,
      'x',
    ]);
    await other.memory(units);
    expect(await find('cat', { whole_words: true, limit: 2 }, other)).toEqual([['a cat', ['cat']]]);
  });

  test('lists a hundred spans of a unit at most', async () => {
    const other = await openSets(app);
    await other.memory([['a'.repeat(5000), 'x']]);
    const [[, spans]] = await find('a', {}, other);
    expect(spans).toHaveLength(100);
  });

  test.each([
    ['a text that is too long', { text: 'x'.repeat(201) }, 422],
    ['a blank language', { text: 'port', target_lang: ' ' }, 400],
    ['no language', { text: 'port', target_lang: undefined }, 422],
  ])('refuses %s', async (_, input, status) => {
    expect((await ask(input, mine.headers)).status).toBe(status);
  });
});
