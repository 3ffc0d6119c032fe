import { beforeEach, describe, expect, test } from 'vitest';
import { lengthIn, lengthUnitOf, limitInNotes } from '#server/formats/length-limit.ts';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { viaRpc } from '#test/contract/call.ts';
import { openDocuments, recordingEngine } from '#test/documents/workspace.ts';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { answered } from '#test/setup/engine.ts';
import { setsOf } from '#test/translation-memory/sets.ts';
import { openWorkspace } from './workspace.ts';

const source = 'Please save the changes';
const long = 'Veuillez enregistrer les modifications';
const short = 'Veuillez enregistrer';
/** The translations that a repair returns, and the issues that it was told. */
let repaired = short;
const told: QualityIssue[][] = [];
const engine = recordingEngine({
  live: true,
  repair: async ({ segments }, _candidate, issues) => {
    told.push([...issues]);
    return answered(segments.map(() => repaired));
  },
});
const app = useTestApp({ env: { ...env, AUTH_RATE_LIMIT_ENABLED: 'false' }, engine });
beforeEach(() => {
  engine.reset();
  engine.reply = ({ segments }) => segments.map(() => long);
  repaired = short;
  told.length = 0;
});

describe('the limit of a text', () => {
  test('reaches the model with the context, and a translation that is too long is repaired', async () => {
    const mine = await openWorkspace(app);
    const fields = { source_text: source, target_lang: 'fr', context: 'Button in a dialog', max_length: 24 };
    const job = await mine.job(fields);
    expect(engine.asked[0]!.notes).toEqual(['at most 24 characters; Button in a dialog']);
    expect(told).toMatchObject([
      [{ severity: 'major', explanation: 'The translation has 38 characters, and at most 24 are allowed.' }],
    ]);
    expect(job).toMatchObject({ status: 'published', final_translation: short });
    expect(job.request).toMatchObject({ context: 'Button in a dialog', max_length: 24 });
  });

  test('sends a translation to review that is still too long, and a person sees it in each check', async () => {
    repaired = 'Veuillez enregistrer les modifs';
    const mine = await openWorkspace(app);
    const job = await mine.job({ source_text: source, target_lang: 'fr', max_length: 24 });
    expect(job).toMatchObject({ status: 'awaiting_review', final_translation: repaired });
    expect(job.agent_run.quality_gate.triggers).toContainEqual({
      code: 'low_quality_score',
      severity: 'blocking',
    });
    const check = async (text: string) =>
      (
        await viaRpc(
          app,
          { path: 'translations.check', type: 'mutation' },
          { input: { job_id: job.id, text }, headers: mine.headers },
        )
      ).body.issues.map(({ explanation }: QualityIssue) => explanation);
    expect(await check(long)).toContain('The translation has 38 characters, and at most 24 are allowed.');
    expect(await check(short)).toEqual([]);
  });

  test('is in graphemes or pixels, and a stored translation that exceeds it is not served', async () => {
    const mine = await openWorkspace(app);
    const other = `${source} of the page`;
    await setsOf(app, mine.headers).memory([
      [source, long],
      [other, long],
    ]);
    const ask = async (source_text: string, fields: object) =>
      (await mine.job({ source_text, target_lang: 'fr', ...fields })).final_translation;
    const pixels = { max_length: await lengthIn('12px Arial', long), length_unit: '12px Arial' };
    expect(await ask(source, { max_length: 38 })).toBe(long);
    expect(await ask(other, pixels)).toBe(long);
    expect(await ask(source, { max_length: 37, length_unit: 'graphemes' })).toBe(short);
    expect(await ask(other, { ...pixels, max_length: pixels.max_length - 1 })).toBe(short);
  });

  const html = '<p>A <i>very</i> long\n <b>button</b></p><p>Hi</p>';
  const seen = ['A very long button', 'Hi'];
  test.each([
    ['characters', 20],
    ['graphemes', 20],
    ['12px Arial', 0],
  ] as const)('is about what people see of HTML, in %s', async (length_unit, known) => {
    const length = known || (await lengthIn(length_unit, seen));
    const mine = await openWorkspace(app);
    await setsOf(app, mine.headers).memory([[html, html]]);
    engine.reply = ({ segments }) => [...segments];
    const ask = async (max_length: number) => {
      const fields = { source_text: html, target_lang: 'fr', text_type: 'Html', max_length, length_unit };
      return (await mine.job(fields)).agent_run.quality_gate;
    };
    // From the TM, and from the engine.
    expect((await ask(length)).metadata.fast_path).toBe('tm_exact');
    expect((await ask(length - 1)).metadata.fast_path).toBeUndefined();
    expect(told.at(-1)!.map(explain)).toContainEqual(expect.stringContaining(`at most ${length - 1} are`));
    expect(JSON.stringify(told.at(-1))).toContain(`has ${length} `);
    const job = await mine.job({
      source_text: html,
      target_lang: 'fr',
      text_type: 'Html',
      max_length: 1,
      length_unit,
    });
    const { body } = await viaRpc(
      app,
      { path: 'translations.check', type: 'mutation' },
      { input: { job_id: job.id, text: html }, headers: mine.headers },
    );
    expect(JSON.stringify(body.issues)).toContain(`The translation has ${length} `);
  });

  test.each([
    [{ max_length: 0 }, 'max_length'],
    [{ max_length: 5, length_unit: '12px Papyrus' }, 'length_unit'],
    [{ max_length: 5, length_unit: '12px constructor' }, 'length_unit'],
    [{ context: 'x'.repeat(2001) }, 'context'],
  ])('is refused with the name of the field: %j', async (fields, name) => {
    const mine = await openWorkspace(app);
    const { status, body } = await mine.submit({ source_text: source, target_lang: 'fr', ...fields });
    expect([status, JSON.stringify(body.detail)]).toEqual([422, expect.stringContaining(name)]);
    expect(engine.asked).toEqual([]);
  });
});

/** A file in which each unit has the source, with these attributes. */
const xliff = (...units: string[]) => {
  const written = units.map(
    (own, id) => `<trans-unit id="${id}" ${own}><source>${source}</source></trans-unit>`,
  );
  return `<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="a" source-language="en" target-language="fr" datatype="plaintext"><body>${written.join('')}</body></file></xliff>`;
};
const chars = (most: number) => `maxwidth="${most}" size-unit="char"`;
const tooLong = (length: number, most: number) =>
  `The translation has ${length} characters, and at most ${most} are allowed.`;
const explain = ({ explanation }: QualityIssue) => explanation;

describe('the limit of a string in a file', () => {
  const po = (flag: string, comment = '') =>
    `${comment}${flag}msgid "${source}"\nmsgstr ""\n\nmsgid "Another text of the page"\nmsgstr ""\n`;

  test.each([
    ['a.po', po('#, max-length:24\n'), 24, 'characters'],
    ['a.po', po('', '#. Button. Max. 24 characters!\n'), 24, 'characters'],
    ['a.strings', `/* Title, no more than 24 chars */\n"save" = "${source}";\n`, 24, 'characters'],
    [
      'a.xml',
      `<resources><!-- max length: 24 --><string name="a">${source}</string></resources>`,
      24,
      'characters',
    ],
    ['a.xlf', xliff('maxwidth="24" size-unit="glyph"'), 24, 'graphemes'],
    ['a.xlf', xliff('maxwidth="130" size-unit="pixel" font="Arial;9"'), 130, '12px Arial'],
  ])('of %s is kept by the model, checked and shown', async (name, content, most, unit) => {
    engine.reply = ({ segments }) =>
      segments.map((text) => (text === source ? long : 'Un autre texte de la page'));
    const mine = await openDocuments(app);
    const { status, body } = await mine.send({ source_document: new File([content], name), wait: 'true' });
    expect([status, body.detail]).toEqual([200, undefined]);
    const { segments } = await mine.segments(body.id);
    expect(segments[0]).toMatchObject({ max_length: most, length_unit: unit, target_text: short });
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject([{ severity: 'major', found_by: 'check' }]);
    if (segments[1]) expect(segments[1]).toMatchObject({ max_length: null, length_unit: null });
    expect((await (await mine.download(body.id)).text()).includes(short)).toBe(true);
  });

  test('holds for all places of the text, in each unit', async () => {
    const content = xliff('', chars(24), 'maxwidth="100" size-unit="pixel" font="Arial;9"');
    const mine = await openDocuments(app);
    const { body } = await mine.send({ source_document: new File([content], 'a.xlf'), wait: 'true' });
    expect(told[0]!.map(explain)).toEqual([
      'The translation has 38 characters, and at most 24 are allowed.',
      expect.stringMatching(/^The translation has \d+ pixels \(12px Arial\), and at most 100 are allowed.$/),
    ]);
    expect(engine.asked[0]!.notes).toEqual([
      expect.stringMatching(/at most 24 characters; at most 100 pixels/),
    ]);
    const { segments } = await mine.segments(body.id);
    expect(segments).toHaveLength(3);
    for (const { target_text, quality } of segments)
      expect([target_text, quality.issues.map(explain)]).toEqual([
        short,
        ['The translation has 103 pixels (12px Arial), and at most 100 are allowed.'],
      ]);
  });
});

interface Segment {
  target_text: string;
  quality: { issues: QualityIssue[]; needs_review: boolean };
  confirmed_at: string | null;
}

describe('a translation of a person in a file', () => {
  async function translated(...units: string[]) {
    const mine = await openDocuments(app);
    const send = async (form: object, ...units: string[]) => {
      const file = new File([xliff(...units)], 'a.xlf');
      const { status, body } = await mine.send({ source_document: file, wait: 'true', ...form });
      expect([status, body.detail]).toEqual([200, undefined]);
      return body.id as string;
    };
    const id = await send({}, ...units);
    /** The text of each segment, its findings, and whether it is flagged and confirmed. */
    const states = async (of = id) =>
      (await mine.segments(of)).segments.map((one: Segment) => {
        const { target_text, quality, confirmed_at } = one;
        return [target_text, quality.issues.map(explain), quality.needs_review, confirmed_at !== null];
      });
    const save = async (position: number, target_text: string, replaces: string) => {
      const segments = [{ position, target_text, replaces, confirmed: true }];
      const { status, body } = await mine.mutate('save', { document_id: id, reviewer: 'Rev', segments });
      expect(status).toBe(200);
      return body;
    };
    return { mine, id, send, states, save };
  }

  test('is not confirmed where it is repeated and too long, also after an undo and a redo', async () => {
    const { mine, id, states, save } = await translated(chars(50), chars(24), '', chars(30));
    const { change_id } = await save(0, long, short);
    const after = [
      [long, [], false, true],
      [long, [tooLong(38, 24)], false, false],
      [long, [], false, true],
      [long, [tooLong(38, 30)], false, false],
    ];
    expect(await states()).toEqual(after);
    for (const step of ['undo', 'redo'])
      expect((await mine.mutate(step, { document_id: id, change_id })).status).toBe(200);
    expect(await states()).toEqual(after);
  });

  test('has only the findings of its place, and is confirmed if the reviewer saw them', async () => {
    const { states, save } = await translated(chars(24), chars(24), chars(50));
    await save(0, long, short);
    expect(await states()).toEqual([
      [long, [tooLong(38, 24)], false, true],
      [long, [tooLong(38, 24)], false, true],
      [long, [], false, true],
    ]);
  });

  test('is checked when it comes over REST', async () => {
    repaired = 'Veuillez enregistrer les modifs';
    const { mine, id, states } = await translated(chars(24));
    expect(await states()).toEqual([[repaired, [tooLong(31, 24)], true, false]]);
    const [{ region_id, cell_id }] = (await mine.segments(id)).segments;
    const corrections = [{ region_id, cell_id, target_text: long }];
    const { status } = await mine.reviewDocument(id, { reviewer: 'Rev', corrections });
    expect(status).toBe(200);
    expect(await states()).toEqual([[long, [tooLong(38, 24)], false, false]]);
  });

  test('is kept in a new version of the file, but not confirmed if it is too long there', async () => {
    const { id, send, states, save } = await translated(chars(50), chars(50));
    await save(0, long, long);
    const same = await send({ update_of: id }, chars(50), chars(40));
    expect(await states(same)).toEqual([
      [long, [], false, true],
      [long, [], false, true],
    ]);
    const tighter = await send({ update_of: id }, chars(24), '');
    expect(await states(tighter)).toEqual([
      [long, [tooLong(38, 24)], true, false],
      [long, [], false, true],
    ]);
    expect(engine.asked).toHaveLength(1);
  });
});

test.each([
  ['Max. 20 characters', 20],
  ['maximum length is 12', 12],
  ['max-length:7', 7],
  ['Button label; at most 15 chars', 15],
  ['Limit to 30 characters please', 30],
  ['MaxLength=40', 40],
  ['character limit: 9', 9],
  ['at most 3 items', undefined],
  ['maximum 20 pixels', undefined],
  ['max length 200px', undefined],
  ['Shows the 20 characters of the key', undefined],
  ['Shows at most 20 characters of the name', undefined],
  ['up to 5 files of 12 characters', undefined],
  ['Max length: 1,000', 1000],
  ['max length 1.000 characters', 1000],
  ['Length limit: 10%', undefined],
  ['maxlength=2 rows', undefined],
  ['Max length 12 em', undefined],
  ['no more than 1,000,000 characters', 1_000_000],
  ['Description, no more than 4,294,967,295 characters', undefined],
])('a comment such as %j', (notes, most) => {
  expect(limitInNotes(notes)?.most).toBe(most);
  if (most) expect(limitInNotes(notes, ['short', 'x'.repeat(most + 1)])).toBeUndefined();
});

test.each([
  ['characters', 'e\u0301👨‍👩‍👧', 7],
  ['graphemes', 'e\u0301👨‍👩‍👧', 2],
  ['10px Courier', 'abc\nab', 19],
  ['bold 10px Arial', '', 0],
  // The widths of Calibri's letters have a sum of 7723 units, and its em has 2048.
  ['100px Calibri', 'Hamburg', 378],
] as const)('in %s, the length of %j is %i', async (unit, text, length) => {
  expect(lengthUnitOf(unit)).toBe(unit);
  expect(await lengthIn(unit, text)).toBe(length);
});
