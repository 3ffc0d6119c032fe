import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, type Sets } from '../translation-memory/sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const upload = (
  content: string | Uint8Array,
  part = {},
  languages = { source_lang: 'en', target_lang: 'fr' },
) => mine.uploadFile(content, languages, { name: 'terms.tbx', type: 'application/xml', ...part });

const exported = async (setId: string, edition?: string, headers = mine.headers) => {
  const query = new URLSearchParams({ set_id: setId, ...(edition && { edition }) });
  const response = await app.request(`/api/terminology?${query}`, {
    headers: { ...headers, accept: 'application/x-tbx+xml' },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

/** The pairs of terms in a glossary, in order. */
async function pairsOf(setId: string): Promise<string[]> {
  const input = encodeURIComponent(JSON.stringify({ json: { set_id: setId, limit: 200 } }));
  const { body } = await app.json('GET', `/trpc/terminology.entries?input=${input}`, {
    headers: mine.headers,
  });
  return body.result.data.json.entries.map(
    (one: Record<string, unknown>) =>
      `${one['source_term']} = ${one['target_term']}${one['status'] ? ` (${one['status']})` : ''}`,
  );
}

const concept = (...languages: string[]) => `<conceptEntry id="c">${languages.join('')}</conceptEntry>`;
const section = (tag: string, ...terms: string[]) => `<langSec xml:lang="${tag}">${terms.join('')}</langSec>`;
const term = (text: string, status?: string) =>
  `<termSec><term>${text}</term>${status ? `<termNote type="administrativeStatus">${status}</termNote>` : ''}</termSec>`;
const tbx = (...concepts: string[]) =>
  `<?xml version="1.0"?>\n<tbx style="dca" type="TBX-Basic" xml:lang="en" xmlns="urn:iso:std:iso:30042:ed-2"><tbxHeader/><text><body>\n${concepts.join('\n')}</body></text></tbx>`;

/** The form of Microsoft's and IATE's collections, which MultiTerm and memoQ also write. */
const martif = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">
<martif type="TBX-Default" xml:lang="en"><martifHeader><fileDesc><sourceDesc><p>of a tool</p></sourceDesc></fileDesc></martifHeader>
<text><body>
<termEntry id="1">
  <descrip type="subjectField">accounting</descrip>
  <langSet xml:lang="en-US">
    <descripGrp><descrip type="definition">the term is a book</descrip></descripGrp>
    <ntig><termGrp><term id="t1">general
      ledger</term><termNote type="partOfSpeech">noun</termNote></termGrp></ntig>
  </langSet>
  <langSet xml:lang="fr-FR"><tig><term>grand <hi type="bold">livre</hi></term></tig></langSet>
  <langSet xml:lang="de"><tig><term>Hauptbuch</term></tig></langSet>
</termEntry>
<termEntry id="2"><langSet lang="EN"><tig><term>stock</term></tig></langSet><langSet lang="fr"><tig><term>action</term></tig></langSet></termEntry>
</body></text></martif>`;

const tbxMin = `<TBX dialect="TBX-Min"><header><id>a</id></header><body>
<entry id="1"><langGroup xml:lang="en"><termGroup><term>ledger</term><termStatus>preferred</termStatus></termGroup></langGroup>
<langGroup xml:lang="fr"><termGroup><term>journal</term><termStatus>notRecommended</termStatus></termGroup><termGroup><term>grand livre</term></termGroup></langGroup></entry></body></TBX>`;

describe('a TBX glossary', () => {
  test.each([
    [
      'of 2019',
      tbx(concept(section('en', term('ledger')), section('fr', term('grand livre')))),
      ['ledger = grand livre'],
    ],
    ['of 2008, as tools write it', martif, ['general ledger = grand livre', 'stock = action']],
    ['of the dialect TBX-Min', tbxMin, ['ledger = grand livre', 'ledger = journal (forbidden)']],
  ])('%s becomes entries', async (_, file, pairs) => {
    const { status, body: set } = await upload(file);
    expect([status, set.detail, set.warnings]).toEqual([200, undefined, []]);
    expect(await pairsOf(set.id)).toEqual(pairs);
  });

  test('demands the preferred target, allows and forbids others, and takes every source', async () => {
    const file = tbx(
      concept(
        section('en', term('ledger'), term('account book', 'deprecatedTerm-admn-sts')),
        section(
          'fr',
          term('registre', 'supersededTerm-admn-sts'),
          term('journal', 'admittedTerm-admn-sts'),
          term('grand livre', 'preferredTerm-admn-sts'),
          term('livre'),
        ),
      ),
      concept(section('en', term('old')), section('fr', term('vieux', 'deprecatedTerm-admn-sts'))),
      concept(section('en', term('alone'))),
    );
    const { body: set } = await upload(file);
    expect(await pairsOf(set.id)).toEqual([
      ...['ledger', 'account book'].flatMap((source) => [
        `${source} = grand livre`,
        `${source} = registre (forbidden)`,
        `${source} = journal (allowed)`,
      ]),
      'old = vieux (forbidden)',
    ]);
    expect(set.warnings).toEqual([
      'entries without a source or target term were skipped: line 5',
      'concepts have more than one target term; the preferred or else the first one was used: line 3',
    ]);
  });

  test('of a module with a prefix says its status, too', async () => {
    const status =
      '<basic:administrativeStatus xmlns:basic="http://www.tbxinfo.net/ns/basic">deprecatedTerm-admn-sts</basic:administrativeStatus>';
    const file = tbx(
      concept(
        section('en', term('ledger')),
        section('fr', `<termSec><term>registre</term>${status}</termSec>`, term('grand livre')),
      ),
    );
    expect(await pairsOf((await upload(file)).body.id)).toEqual([
      'ledger = grand livre',
      'ledger = registre (forbidden)',
    ]);
  });

  test('needs both languages, and a content type that fits', async () => {
    const file = tbx(concept(section('en', term('a')), section('fr', term('b'))));
    const statusOf = async (answer: Promise<{ status: number }>) => (await answer).status;
    expect(await statusOf(upload(file, {}, { source_lang: 'en' } as never))).toBe(400);
    expect(await statusOf(upload(file, { type: 'text/csv' }))).toBe(415);
    expect(await statusOf(upload(file, { name: 'terms', type: 'application/x-tbx' }))).toBe(200);
    expect(await statusOf(upload(file, { type: null }))).toBe(200);
    expect(await statusOf(upload(file, {}, { source_lang: 'en', target_lang: 'de' }))).toBe(400);
  });

  test('that is no TBX, or declares entities, is refused whole with its line', async () => {
    for (const [file, detail] of [
      ['<tmx version="1.4"/>', 'line 1: the file is XML but not TBX'],
      [martif.replace('SYSTEM "TBXcoreStructV02.dtd"', '[<!ENTITY a "a">]'), 'forbidden XML construct'],
      [martif.replace('</martif>', ''), 'not well-formed'],
      [
        tbx(concept(section('en', term('x'.repeat(501))), section('fr', term('b')))),
        'line 3: a term has more than 500 characters',
      ],
    ] as const) {
      const { status, body } = await upload(file);
      expect([status, body.detail]).toEqual([400, expect.stringContaining(detail)]);
    }
  });
});

const terms = [
  ['ledger', 'grand livre'],
  ['R&D <lab>', '"R&D" d’été'],
  ['stock', 'action'],
];

describe('GET /api/terminology with Accept: application/x-tbx+xml', () => {
  test.each(['2008', undefined])('edition %s comes back as the same entries', async (edition) => {
    const { id } = (await mine.glossary(
      terms.map(
        ([source, target]) => `"${source?.replaceAll('"', '""')}","${target?.replaceAll('"', '""')}",en,fr`,
      ),
      { name: 'Été' },
    )) as { id: string };
    const { status, headers, text } = await exported(id, edition);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/x-tbx+xml']);
    expect(headers.get('content-disposition')).toContain("filename*=UTF-8''%C3%89t%C3%A9.tbx");
    expect(text).toContain(
      edition === '2008' ? '<martif type="TBX-Basic"' : '<tbx type="TBX-Basic" style="dca"',
    );
    const again = await upload(text, {}, { source_lang: 'en', target_lang: 'fr' });
    expect(await pairsOf(again.body.id)).toEqual(await pairsOf(id));
  });

  test('is whole, however many entries there are', async () => {
    const lines = Array.from({ length: 1201 }, (_, n) => `word ${n},mot ${n},en,fr`);
    const { id } = (await mine.glossary(lines)) as { id: string };
    const { text } = await exported(id);
    expect(text.match(/<conceptEntry /g)?.length).toBe(1201);
    expect(text.endsWith('</tbx>\n')).toBe(true);
  });

  test('another tenant’s glossary is a 404, and without set_id there is none', async () => {
    const { id } = (await mine.glossary(['a,b,en,fr'])) as { id: string };
    const stranger = await openSets(app);
    expect((await exported(id, undefined, stranger.headers)).status).toBe(404);
    const response = await app.request('/api/terminology', {
      headers: { ...mine.headers, accept: 'application/x-tbx+xml' },
    });
    expect(response.status).toBe(422);
  });
});
