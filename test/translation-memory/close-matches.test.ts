import { beforeEach, describe, expect, test } from 'vitest';
import { askedOf, translatingReply } from '#test/fakes/openai.ts';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import { liveEngine } from '../translations/live.ts';
import { withWorkers } from './background.ts';
import { expectPipeline } from './fast-path-jobs.ts';
import { openSets, type Sets } from './sets.ts';
import type { Unit } from './tmx.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const fake = await useFakeOpenAi();
const app = useTestApp({ env, engine: liveEngine(fake) });

const colours: Record<string, string> = {
  red: 'rote',
  blue: 'blaue',
};
const english = (which: string) =>
  `The ${which} pump must be checked every week before the machine is started.`;
const german = (which: string) =>
  `Die ${which} Pumpe muss jede Woche geprüft werden, bevor die Maschine startet.`;

const translate = (text: string) => {
  const which = Object.keys(colours).find((word) => text.includes(` ${word} `));
  return which
    ? german(colours[which]!)
    : 'Die dritte Pumpe ist jede Woche vor dem Start der Maschine zu prüfen.';
};

let mine: Sets;
beforeEach(async () => {
  fake.otherwise(translatingReply({ translate }));
  mine = await openSets(app);
});

const store = (units: (Unit | [string, string])[], fields = {}, of = mine) =>
  of.memory(units, { target_lang: 'de', ...fields });

/** The data in the model's request to translate a text, without the instructions. */
async function given(source_text: string, fields = {}, of = mine): Promise<string> {
  fake.requests.length = 0;
  const job = await of.job({ source_text, target_lang: 'de', ...fields });
  expectPipeline(job);
  const asked = fake.requests.map(askedOf).filter(({ role }) => role === 'translation');
  expect(asked.length).toBeGreaterThan(0);
  return asked.map(({ data }) => strings(data).join('\n')).join('\n');
}

const strings = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : value && typeof value === 'object'
      ? Object.values(value).flatMap(strings)
      : [];

describe('close matches are given to the engine (B 8 "Fuzzy tier")', () => {
  test('the five closest of those that are 70 % alike or more', async () => {
    const words = 'and then again by hand after work on every single day of that year'.split(' ');
    const base = 'The pump must be checked every week before the large machine in the cellar is started';
    const stored = words.map((_, n): [string, string] => [
      `${base} ${words.slice(0, n + 1).join(' ')}.`,
      `Treffer ${'abcdefghijklmn'.charAt(n).repeat(3)}`,
    ]);
    await store(stored.toReversed());
    const data = await given(`${base}.`);
    for (const [, target] of stored.slice(0, 5)) expect(data).toContain(target);
  });

  test('B 2.1 Html: those of a page’s text, whatever its markup', async () => {
    await store([[english('red'), german('rote')]]);
    const html = (text: string) =>
      `<ul><li class="checklist-item highlighted wide">${text}</li><li>Another line.</li></ul>`;
    const page = html(english('third').replace('pump', '<b id="what-is-checked">pump</b>'));
    expect(await given(page, { text_type: 'Html' })).toContain(german('rote'));
    // An exact match of a part is the best example for this part. For exact matches, the complete page is looked up.
    expect(await given(html(english('red')), { text_type: 'Html' })).toContain(german('rote'));
  });

  test('from all sets of the pair, however their codes are spelled', async () => {
    await store([[english('red'), german('rote')]], { name: 'a' });
    await store([[english('blue'), german('blaue')]], {
      name: 'b',
      source_lang: 'en-GB',
      target_lang: 'de-AT',
    });
    const data = await given(english('third'));
    for (const target of ['rote', 'blaue']) expect(data).toContain(german(target));
  });

  test('of no other pair, direction, variant or tenant', async () => {
    await store([[english('red'), 'La pompe rouge']], { name: 'fr', target_lang: 'fr' });
    await store([[german('rote'), english('red')]], { name: 'back', source_lang: 'de', target_lang: 'en' });
    await store([[english('blue'), german('blaue')]], {}, await openSets(app));
    const data = await given(english('third'));
    for (const text of ['La pompe rouge', german('rote'), german('blaue')]) expect(data).not.toContain(text);
    await store([[english('red'), 'A bomba vermelha']], { name: 'pt', target_lang: 'pt-PT' });
    fake.otherwise(
      translatingReply({
        translate: () => 'A terceira bomba deve ser verificada toda semana antes de iniciar.',
      }),
    );
    expect(await given(english('third'), { target_lang: 'pt-BR' })).not.toContain('A bomba vermelha');
  });

  test('replaced or deleted ones are no longer given', async () => {
    await store([[english('red'), german('rote')]]);
    await store([[english('blue'), german('blaue')]]);
    const data = await given(english('third'));
    expect([data.includes(german('rote')), data.includes(german('blaue'))]).toEqual([false, true]);
    const [set] = (await mine.memories()).filter(({ name }: { name: string }) => name === 'A memory');
    await mine.removeMemory(set.id);
    expect(await given(english('fourth'))).not.toContain(german('blaue'));
  });
});

describe('B 8 "Close-match text length"', () => {
  const long = (length: number, which: string) =>
    `${english(which)} `
      .repeat(40)
      .slice(0, length - 1)
      .concat('.');
  const lang = (text: string) => `${german(text)} `.repeat(40);

  test('a source over 2000 characters gets none; one of 2000 does', async () => {
    await store([[long(1990, 'red'), lang('rote').slice(0, 1990)]]);
    fake.otherwise(translatingReply({ translate: () => lang('gelbe').slice(0, 1990) }));
    const quoted = lang('rote').slice(0, 1900);
    expect(await given(long(2001, 'red'))).not.toContain(quoted);
    expect(await given(long(2000, 'red'))).toContain(quoted);
  });

  test('a stored pair with a source or target over 2000 characters is never offered', async () => {
    await store([
      [long(2001, 'red'), 'Quelle zu lang'],
      [long(1999, 'red'), `${lang('rote').slice(0, 1990)} Ziel zu lang`],
      [long(1998, 'red'), 'Beides kurz genug'],
    ]);
    fake.otherwise(translatingReply({ translate: () => lang('gelbe').slice(0, 1990) }));
    const data = await given(long(1995, 'red'));
    expect(data).toContain('Beides kurz genug');
    for (const text of ['Quelle zu lang', 'Ziel zu lang']) expect(data).not.toContain(text);
  });
});

describe('approved pairs, and corrections of them (B 8 "Fuzzy tier")', () => {
  const sensitive = { metadata: { sensitive: true } };
  const correct = async (source_text: string, final_translation: string) => {
    const { id } = await mine.job({ source_text, target_lang: 'de', ...sensitive });
    expect((await mine.review(id, { action: 'modify', final_translation })).status).toBe(200);
  };
  /** Texts that are similar to those about the pump. Each is new, so that none is served from the TM. */
  let asked = 0;
  const letter = (n: number) => 'abcdefghijklmnopqrstuvwxyz'.charAt(n % 26);
  const another = () => {
    asked += 1;
    return english(`third and ${letter(asked / 26)}${letter(asked)}x`);
  };

  /** «Within a few minutes at most»: submits texts until the model receives `text` as an example. */
  const becomesGiven = (text: string) =>
    poll(async () => {
      const data = await given(another());
      return data.includes(text) && data;
    });

  test('a correction replaces the target before it, imported or approved', async () => {
    await withWorkers(app, async () => {
      await store([[english('red'), german('rote')]]);
      for (const [text, before] of [
        ['Die rote Pumpe: jede Woche prüfen!', german('rote')],
        ['Rote Pumpe wöchentlich prüfen!', 'Die rote Pumpe: jede Woche prüfen!'],
      ] as const) {
        await correct(english('red'), text);
        expect(await becomesGiven(text)).not.toContain(before);
      }
    });
  });
});
