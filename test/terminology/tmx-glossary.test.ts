import { beforeEach, describe, expect, test } from 'vitest';
import { corpusFile } from '#test/corpus/files.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, type Sets } from '../translation-memory/sets.ts';
import { tmx, tmxOf, type Unit, unit } from '../translation-memory/tmx.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const upload = (content: string | Uint8Array, target_lang = 'fr', source_lang = 'en') =>
  mine.uploadFile(content, { source_lang, target_lang }, { name: 'terms.tmx', type: 'application/xml' });

async function served(source_text: string, target_lang = 'fr'): Promise<string | undefined> {
  const { request, final_translation } = await mine.job({ source_text, target_lang });
  return request.metadata.provenance?.fast_path === 'glossary_exact' ? final_translation : undefined;
}

/** How units are read is tested in test/formats/glossary-tmx.test.ts. */
describe('a TMX glossary', () => {
  test('has an entry for each unit with both languages, in any letter case', async () => {
    const body = [
      unit({ en: 'ledger', fr: 'grand livre', de: 'Hauptbuch' }),
      unit({ fr: 'stock', 'en-US': 'inventory' }),
      unit({ en: 'no French', de: 'kein Französisch' }),
      unit({ en: '', fr: 'vide' }),
    ];
    const { status, body: set } = await upload(tmxOf(body.join('\n')));
    expect(status, JSON.stringify(set)).toBe(200);
    expect(set).toMatchObject({ entry_count: 2, source_lang: 'en', target_lang: 'fr' });
    expect([await served('LEDGER'), await served('inventory')]).toEqual(['grand livre', 'stock']);
    expect([await served('ledger', 'de'), await served('ledger', 'fr-CA')]).toEqual([undefined, undefined]);
  });

  test('has priority 0', async () => {
    await upload(tmx([['ledger', 'from TMX']]));
    await mine.glossary(['ledger,lower,,,,-1'], { name: 'lower' });
    expect(await served('ledger')).toBe('from TMX');
    await mine.glossary(['ledger,higher,,,,1'], { name: 'higher' });
    expect(await served('ledger')).toBe('higher');
  });

  test('of units of one source keeps all, and the newest is served', async () => {
    const dated = (target: string, changedate: string): Unit => ({ source: 'ledger', target, changedate });
    const units = [dated('newest', '20240301T000000Z'), dated('old', '20200101T000000Z')];
    expect((await upload(tmx(units))).body.entry_count).toBe(2);
    expect(await served('ledger')).toBe('newest');
  });

  test('that is broken is 400, and leaves the set of that name as it was', async () => {
    await mine.glossary(['ledger,grand livre']);
    for (const content of [
      '',
      tmxOf(''),
      corpusFile('tmx-bad/xxe.tmx'),
      corpusFile('tmx-bad/malformed.tmx'),
    ]) {
      const { status, body } = await upload(content);
      expect([status, typeof body.detail]).toEqual([400, 'string']);
    }
    expect(await mine.glossaries()).toMatchObject([{ entry_count: 1 }]);
    expect(await served('ledger')).toBe('grand livre');
  });
});
