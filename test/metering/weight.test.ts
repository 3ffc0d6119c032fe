import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { weighCharacters } from '#server/billing/metering/weight.ts';
import { countCodePoints } from '#server/formats/text.ts';
import { languageCodes } from '#server/languages.ts';
import { useTestApp } from '#test/setup/app.ts';
import { holdRuns } from '#test/setup/held-runs.ts';
import { base, type Customer, expectOverLimit, provision, text } from '../billing/customers.ts';

describe('characters are Unicode code points (C 7)', () => {
  test.each([
    ['', 0],
    ['Hello', 5],
    ['日本語', 3],
    ['😀', 1],
    ['a😀b𝄞c', 5],
    ['\u{10000}\u{10FFFF}', 2],
    // The code units next to the range of surrogates, which are complete characters.
    ['\uD7FF\uE000\uFFFF', 3],
    // Neither composed characters nor graphemes are counted, but code points.
    ['e\u0301', 2],
    ['👨‍👩‍👧', 5],
    ['a\r\nb\t', 5],
  ])('%j counts %i', (text, count) => {
    expect(countCodePoints(text)).toBe(count);
    expect(countCodePoints(text)).toBe([...text].length);
  });
});

describe('dense-script weighting (A 8.1)', () => {
  test.each([
    ['neither side is dense', 10, 'en', 'fr', 3.5, 10],
    ['the source is dense', 10, 'ja', 'en', 3.5, 35],
    ['the target is dense', 10, 'en', 'ja', 3.5, 35],
    ['both sides are dense: once, never squared', 10, 'ja', 'ko', 3.5, 35],
    ['rounded up', 5, 'en', 'ja', 3.5, 18],
    ['one character', 1, 'en', 'th', 3.5, 4],
    ['a little more than whole is rounded up', 1, 'en', 'th', 1.0001, 2],
    ['nothing', 0, 'en', 'ja', 3.5, 0],
    ['a factor that is not exact in binary', 10, 'en', 'ja', 1.1, 11],
    ['the same, for a long text', 50_000, 'en', 'ja', 1.1, 55_000],
    ['a factor of one', 7, 'ja', 'en', 1, 7],
    ['a factor of nothing', 7, 'ja', 'en', 0, 0],
    ['a factor below one is rounded up', 7, 'ja', 'en', 0.5, 4],
    ['the factor does not touch other pairs', 7, 'en', 'fr', 0.5, 7],
  ])('%s', (_, chars, source, target, factor, weighed) => {
    expect(weighCharacters(chars, source, target, factor)).toBe(weighed);
  });

  test('the dense languages are the eight of the list, on either side', () => {
    const dense = ['hi', 'ja', 'ko', 'mr', 'ne', 'th', 'zh-Hans', 'zh-Hant'];
    expect(languageCodes.filter((code) => weighCharacters(2, code, 'en', 3.5) === 7).sort()).toEqual(dense);
    expect(languageCodes.filter((code) => weighCharacters(2, 'en', code, 3.5) === 7).sort()).toEqual(dense);
  });
});

describe('dense scripts', () => {
  const runs = holdRuns();
  const app = useTestApp({ env: { ...base, DENSE_SCRIPT_WEIGHT: '1.1' }, engine: runs.engine });
  afterEach(() => runs.release());

  let mine: Customer;
  beforeEach(async () => {
    mine = await provision(app, { monthly_char_limit: 110 });
  });

  test('the weight is a setting, and counts if either language is dense, in any case of its code', async () => {
    expect((await mine.translate(text(10), { source_lang: 'EN', target_lang: 'ZH-HANS' })).status).toBe(200);
    expect((await mine.translate(text(10), { source_lang: 'JA', target_lang: 'Fr' })).status).toBe(200);
    expect((await mine.translate(text(10))).status).toBe(200);
    expect(await mine.billed()).toBe(11 + 11 + 10);
  });

  test('a batch is weighed by the languages of each item, each rounded up', async () => {
    const batch = {
      inputs: [
        { Text: text(1), Targets: [{ Language: 'ja' }, { Language: 'fr' }, { Language: 'ko' }] },
        { Text: text(3), Language: 'th', Targets: [{ Language: 'de' }] },
      ],
    };
    const weight = 2 + 1 + 2 + 4;
    expectOverLimit(await (await provision(app, { monthly_char_limit: weight - 1 })).submit(batch));
    const enough = await provision(app, { monthly_char_limit: weight });
    expect((await enough.submit(batch)).status).toBe(200);
    expect(await enough.billed()).toBe(weight);
  });

  test('admission and reservation are by weight', async () => {
    expectOverLimit(await mine.translate(text(101), { target_lang: 'ja' }));
    const answer = mine.translate(text(50, 'held'), { target_lang: 'ja' });
    const run = await runs.next();
    expect((await mine.billing()).allowance).toMatchObject({ used: 0, reserved: 55, remaining: 55 });
    expectOverLimit(await mine.translate(text(51), { source_lang: 'ko' }));
    run.succeed();
    expect((await answer).status).toBe(200);
    expect((await mine.billing()).allowance).toMatchObject({ used: 55, reserved: 0, remaining: 55 });
  });

  test('markup counts as source text', async () => {
    const source_text = `<p class="x">${text(20)}</p>`;
    expect((await mine.translate(source_text, { text_type: 'Html' })).status).toBe(200);
    expect(await mine.billed()).toBe(source_text.length);
  });
});
