import { parse } from 'csv-parse/sync';
import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, type Sets } from './sets.ts';
import { readTmx } from './tmx.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const detailOf = ({ status, text }: { status: number; text: string }) => [status, JSON.parse(text).detail];

/** Publishes a text through a review, so that its translation is approved. */
async function approve(
  source_text: string,
  final_translation: string,
  target_lang = 'fr',
  source_lang = 'en',
) {
  const { id } = await mine.job({ source_text, target_lang, source_lang, metadata: { sensitive: true } });
  const { status, body } = await mine.review(id, { action: 'modify', final_translation });
  expect([status, body.status]).toEqual([200, 'human_edited']);
}

describe('the export of a set (B 4.5)', () => {
  test('as CSV has all segments with their texts, and runs no formula', async () => {
    const texts: [string, string][] = [
      ['=1+1', '-2 °C'],
      ['A, "b"; c', "'quoted\tword"],
      ['One\nline', 'Une\nligne'],
    ];
    const { id } = await mine.memory(texts, { name: 'Manuals' });
    const response = await app.request(`/api/tm/${id}/export`, {
      headers: { ...mine.headers, accept: 'text/csv' },
    });
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="Manuals.csv"');
    const rows: Record<string, string>[] = parse(await response.text(), { bom: true, columns: true });
    const exported = readTmx((await mine.exportMemory(id)).text).units;
    expect(rows.map(({ source, target }) => [source, target])).toEqual(
      exported.map(({ variants }) =>
        ['en', 'fr'].map((code) => `${variants.get(code)}`.replace(/^[=-]/, "'$&")),
      ),
    );
    expect(rows[0]).toMatchObject({ source: "'=1+1", source_lang: 'en', target_lang: 'fr' });
    expect(Object.values(rows[1]!)).not.toContain('');
  });

  test('is TMX 1.4 with its header, a unit a segment', async () => {
    const units = [
      { source: 'Hello', target: 'Bonjour', tuid: 'h-1', changedate: '20240229T101112Z' },
      { source: 'R&D <b> "x"', target: "R&D <i> 'y'", tuid: 'r&"d', changedate: '20200101T000000Z' },
    ];
    const { id } = await mine.memory(units, { name: 'Manuals' });
    const { status, headers, text } = await mine.exportMemory(id);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/xml\b/);
    expect(text).not.toMatch(/<!DOCTYPE tmx \[/);
    const read = readTmx(text);
    expect(read.root).toMatchObject({ version: '1.4' });
    expect(read.header).toMatchObject({
      creationtool: 'LinguaLoop',
      creationtoolversion: expect.any(String),
      datatype: 'plaintext',
      segtype: 'sentence',
      adminlang: expect.any(String),
      srclang: 'en',
      'o-tmf': expect.any(String),
    });
    const found = read.units.map(({ tuid, changedate, variants }) => ({
      tuid,
      changedate,
      source: variants.get('en'),
      target: variants.get('fr'),
      languages: variants.size,
    }));
    expect(found.toSorted((a, b) => (a.source! < b.source! ? -1 : 1))).toEqual(
      units.map((unit) => ({ ...unit, languages: 2 })),
    );
  });
});

describe('its file name (B 4.5)', () => {
  const nameOf = async (name: string) => {
    const { id } = await mine.memory([['Hello', 'Bonjour']], { name });
    const disposition = (await mine.exportMemory(id)).headers.get('content-disposition') ?? '';
    const extended = /filename\*=UTF-8''([^;\s]*)/i.exec(disposition)?.[1];
    return {
      disposition,
      plain: /filename="?([^";]*)"?/i.exec(disposition)?.[1],
      exact: extended === undefined ? undefined : decodeURIComponent(extended),
    };
  };

  test('an attachment <set name>.tmx', async () => {
    for (const name of ['Manuals', 'My manuals, 2nd edition', "it's (1)"]) {
      const { disposition, plain } = await nameOf(name);
      expect(disposition).toMatch(/^attachment\b/);
      expect(plain).toBe(`${name}.tmx`);
    }
  });
});

describe('the export of golden pairs (B 4.5)', () => {
  test.each(['', '?source_lang=en', '?source_lang=xx&target_lang='])(
    'of %j is 400: both languages are required',
    async (query) => {
      expect(detailOf(await mine.exportGolden(query))).toEqual([
        400,
        'source_lang and target_lang query params are required',
      ]);
    },
  );

  test('without any is 404, other pairs and imports notwithstanding', async () => {
    await mine.memory([['Hello', 'Bonjour']]);
    await approve('Good evening', 'Guten Abend', 'de');
    for (const pair of ['en&target_lang=fr', 'de&target_lang=en', 'en&target_lang=fr-CA'])
      expect(detailOf(await mine.exportGolden(`?source_lang=${pair}`))).toEqual([
        404,
        'no approved golden pairs for this language pair',
      ]);
  });

  test('holds what was approved, under the set’s name; each code is read as the language it stands for', async () => {
    await approve('Good evening', 'Bonsoir');
    await approve('Good night', 'Bonne nuit');
    for (const pair of ['en&target_lang=fr', 'en-US&target_lang=fr-FR', 'EN&target_lang=FR']) {
      const { status, headers, text } = await mine.exportGolden(`?source_lang=${pair}`);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toMatch(/^application\/xml\b/);
      expect(headers.get('content-disposition')).toMatch(/^attachment;.*golden-approved-en-fr\.tmx/);
      const found = readTmx(text).units.map(({ variants }) => [variants.get('en'), variants.get('fr')]);
      expect(found.toSorted()).toEqual([
        ['Good evening', 'Bonsoir'],
        ['Good night', 'Bonne nuit'],
      ]);
    }
  });

  test('is the export of the golden set, and another tenant has none of it', async () => {
    await approve('Good evening', 'Boa noite', 'pt-BR');
    const [set] = await mine.memories();
    expect(set.name).toBe('golden-approved-en-pt-BR');
    const units = ({ text }: { text: string }) => readTmx(text).units;
    const golden = await mine.exportGolden('?source_lang=en&target_lang=pt-br');
    expect(units(golden)).toEqual(units(await mine.exportMemory(set.id)));
    const other = await openSets(app);
    expect((await other.exportGolden('?source_lang=en&target_lang=pt-BR')).status).toBe(404);
  });
});
