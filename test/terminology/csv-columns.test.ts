import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { expectLine, openSets, type Sets } from '../translation-memory/sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

/** The target that serves a whole term; undefined if no glossary serves it. */
async function served(
  source_text: string,
  target_lang = 'fr',
  source_lang = 'en',
): Promise<string | undefined> {
  const { request, final_translation } = await mine.job({ source_text, target_lang, source_lang });
  return request.metadata.provenance?.fast_path === 'glossary_exact' ? final_translation : undefined;
}

describe('B 4.4: the header', () => {
  test.each([
    ['source_term', 'target_term'],
    ['source term', 'target term'],
    ['source', 'target'],
    ['src_term', 'tgt_term'],
    ['src term', 'tgt term'],
    ['term_source', 'term_target'],
    ['SOURCE TERM', 'Target Term'],
    ['Source-Term', 'Target.Term'],
    [' source ', '  Target'],
    ['source_term', 'tgt term'],
  ])('%j and %j are the terms', async (source, target) => {
    expect((await mine.glossary([`${source},${target}`, 'ledger,grand livre'])).entry_count).toBe(1);
    expect(await served('ledger')).toBe('grand livre');
  });

  test('its columns may stand in any order, among others that are not known', async () => {
    await mine.glossary(['note,Target,domain,Source', 'x,grand livre,books,ledger']);
    expect([await served('ledger'), await served('grand livre')]).toEqual(['grand livre', undefined]);
  });

  test.each([
    ['source,comment', 'source', 'comment'],
    ['comment,target', 'comment', 'target'],
    ['term,translation', 'term', 'translation'],
    ['en,fr', 'en', 'fr'],
  ])('%s is not a header, so the row is an entry and the file positional', async (row, source, target) => {
    expect((await mine.glossary([row, 'ledger,grand livre'])).entry_count).toBe(2);
    expect([await served(source), await served('ledger')]).toEqual([target, 'grand livre']);
  });

  test('is the first row that is not blank, and no other', async () => {
    expect((await mine.glossary(['', ' , ', 'source,target', 'ledger,grand livre'])).entry_count).toBe(1);
    expect((await mine.glossary(['ledger,grand livre', 'source,target'])).entry_count).toBe(2);
    expect(await served('source')).toBe('target');
  });

  const aliases: [string, string[], string[]][] = [
    ['source', ['source_lang', 'source lang', 'source_language', 'source language'], ['de', 'fr']],
    ['source', ['src_lang', 'src lang', 'from_lang', 'from lang', 'FROM-LANG'], ['de', 'fr']],
    ['target', ['target_lang', 'target lang', 'target_language', 'target language'], ['fr', 'de']],
    ['target', ['tgt_lang', 'tgt lang', 'to_lang', 'to lang', 'Target Language'], ['fr', 'de']],
  ];
  test.each(aliases.flatMap(([side, names, codes]) => names.map((name) => [name, side, codes] as const)))(
    '%j pins an entry to its %s language; empty applies to any',
    async (name, side, [own = '', other = '']) => {
      await mine.glossary([`source,target,${name}`, `ledger,pinned,${own}`, 'stock,anywhere,']);
      const of = (text: string, code: string) =>
        side === 'source' ? served(text, 'es', code) : served(text, code, 'en');
      expect([await of('ledger', own), await of('ledger', other)]).toEqual(['pinned', undefined]);
      expect([await of('stock', own), await of('stock', other)]).toEqual(['anywhere', 'anywhere']);
    },
  );

  test.each(['case_sensitive', 'case sensitive', 'casesensitive', 'Case-Sensitive'])(
    '%j: 1, true, yes and on are case-sensitive, everything else is not',
    async (name) => {
      const cells = {
        1: true,
        true: true,
        yes: true,
        on: true,
        0: false,
        false: false,
        no: false,
        off: false,
        '': false,
      };
      const words = 'alpha beta gamma delta epsilon zeta eta theta iota'.split(' ');
      const rows = Object.keys(cells).map((cell, at) => `${words[at]},t-${words[at]},${cell}`);
      await mine.glossary([`source,target,${name}`, ...rows]);
      for (const [at, strict] of Object.values(cells).entries()) {
        const word = words[at]!;
        expect([word, await served(word)]).toEqual([word, `t-${word}`]);
        expect([word, await served(word.toUpperCase())]).toEqual([word, strict ? undefined : `t-${word}`]);
      }
    },
  );
});

describe('B 4.4: without a header the columns are positional', () => {
  test('terms, languages, case_sensitive, priority', async () => {
    await mine.glossary(['ledger,grand livre,en,fr,true,1', 'stock,Lager,,de', 'stock,inventaire']);
    expect([await served('ledger'), await served('LEDGER')]).toEqual(['grand livre', undefined]);
    expect([await served('ledger', 'de'), await served('stock', 'fr')]).toEqual([undefined, 'inventaire']);
  });

  test('the higher priority wins, else default 0', async () => {
    await mine.glossary(['ledger,low,,,,-1', 'ledger,default', 'ledger,high,,,,5', 'ledger,middle,,,,2']);
    expect(await served('ledger')).toBe('high');
  });
});

describe('B 4.4: language cells', () => {
  const header = 'source,target,target_lang';
  test.each([
    ['German', 'de'],
    ['GERMAN', 'de'],
    ['Chinese (Simplified)', 'zh-Hans'],
    ['chinese (traditional)', 'zh-Hant'],
    ['Portuguese (Brazil)', 'pt-BR'],
    ['portuguese (portugal)', 'pt-PT'],
    ['French (Canada)', 'fr-CA'],
    ['French', 'fr'],
    ['Norwegian', 'nb'],
    ['Japanese', 'ja'],
    ['de', 'de'],
    ['PT-br', 'pt-BR'],
    ['de-AT', 'de'],
    ['zh-TW', 'zh-Hant'],
    ['zh-SG', 'zh-Hans'],
    ['nob', 'nb'],
  ])('%s is %s', async (cell, code) => {
    await mine.glossary([header, `ledger,pinned,"${cell}"`]);
    expect([await served('ledger', code), await served('ledger', 'uk')]).toEqual(['pinned', undefined]);
  });

  test('every supported language by its code', async () => {
    const codes =
      'en es fr fr-CA de it pt-BR pt-PT nl zh-Hans zh-Hant ja ko ar ru hi tr vi th id pl uk cs ro hu el sv da nb fi ms fa ur mr ne';
    const rows = codes.split(' ').map((code) => `ledger ${code},t,${code}`);
    expect((await mine.glossary([header, ...rows])).entry_count).toBe(35);
  });

  test.each(['Chinese', 'Portuguese', 'portuguese', 'zh', 'pt', 'pt-AO', 'Klingon', 'xx', 'English (Mars)'])(
    '%s rejects the whole upload with 400 naming the line, and nothing is stored',
    async (cell) => {
      const lines = [header, 'house,casa,es', '', `ledger,x,${cell}`, 'stock,y,fr'];
      expectLine(await mine.uploadFile(lines.join('\n')), 4);
      expectLine(
        await mine.uploadFile(
          lines
            .slice(1)
            .join('\n')
            .replaceAll(/,(?=[^,\n]*$)/gm, ',,'),
        ),
        3,
      );
      expect(await mine.glossaries()).toEqual([]);
    },
  );

  test('and the set of that name stays as it was', async () => {
    await mine.glossary(['ledger,grand livre']);
    expectLine(await mine.uploadFile([header, 'ledger,x,Chinese'].join('\n')), 2);
    expect(await served('ledger')).toBe('grand livre');
  });

  test.each([
    ['fr', 'fr-CA'],
    ['fr-CA', 'fr'],
    ['pt-BR', 'pt-PT'],
    ['zh-Hans', 'zh-Hant'],
  ])('%s is never read as %s', async (cell, other) => {
    await mine.glossary([header, `ledger,pinned,${cell}`]);
    expect([await served('ledger', cell), await served('ledger', other)]).toEqual(['pinned', undefined]);
  });
});

describe('C 7: the declared pair of a set', () => {
  test('pins only the entries whose own cells are empty', async () => {
    await mine.glossary(['source,target,target_lang', 'ledger,livre,', 'stock,Lager,de'], {
      source_lang: 'en-US',
      target_lang: 'fr-FR',
    });
    expect([await served('ledger'), await served('ledger', 'de'), await served('ledger', 'fr-CA')]).toEqual([
      'livre',
      undefined,
      undefined,
    ]);
    expect([await served('stock', 'de'), await served('stock', 'fr')]).toEqual(['Lager', undefined]);
  });

  test('B 2.8: is returned as supplied, not normalized', async () => {
    const declared = { source_lang: 'EN-us', target_lang: 'fr-BE' };
    expect(await mine.glossary(['ledger,livre'], declared)).toMatchObject(declared);
    expect(await mine.glossaries()).toMatchObject([declared]);
  });

  test('an entry with neither applies to any pair', async () => {
    await mine.glossary(['KapiMart,KapiMart']);
    for (const target of ['de', 'pt-BR', 'zh-Hant'])
      expect(await served('KapiMart', target)).toBe('KapiMart');
    expect(await served('KapiMart', 'en', 'fr-CA')).toBe('KapiMart');
  });
});
