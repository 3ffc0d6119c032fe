import { Document, Packer, Paragraph, TextRun } from 'docx';
import { beforeEach, describe, expect, test } from 'vitest';
import { env } from '#test/factories.ts';
import { translatingReply } from '#test/fakes/openai.ts';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { type Documents, openDocuments } from '../documents/workspace.ts';
import { liveEngine } from '../translations/live.ts';
import { compact } from './compact.ts';
import forms from './forms.json' with { type: 'json' };
import { letterKinds } from './letters.ts';
import strange from './strange-forms.json' with { type: 'json' };

const fake = await useFakeOpenAi();
const app = useTestApp({ env, engine: liveEngine(fake) });

const prefix = 'Hier steht eine Übersetzung von: ';
let mine: Documents;
// A workspace for each text: the memory would give one text the values of another.
beforeEach(async () => {
  mine = await openDocuments(app);
  fake.otherwise(translatingReply({ translate: (text) => `${prefix}${text}` }));
  fake.requests.length = 0;
});

interface Form {
  text: string;
  /** The values that must not leave. Cases, separators and accents do not count. */
  secrets: readonly string[];
  terms?: readonly string[];
  patterns?: readonly string[];
}

/** Returns the secrets that a request for a text contains, and its translation. */
async function send(
  { text, secrets, terms = [], patterns = [] }: Form,
  source_lang = 'en',
  target_lang = 'de',
) {
  const body = { redaction: { kinds: letterKinds, terms, patterns } };
  await app.json('PATCH', '/api/tenants/security', { headers: mine.admin, body });
  const job = await mine.job({ source_text: text, source_lang, target_lang });
  return { left: leftOf(secrets), translation: job.final_translation };
}

/** Returns the secrets that the requests contain. */
function leftOf(secrets: readonly string[]): string[] {
  expect(fake.requests.length).toBeGreaterThan(0);
  const sent = fake.requests.map(({ received }) => compact(JSON.stringify(received)));
  return secrets.filter((secret) => sent.some((one) => one.includes(compact(secret))));
}

const kept = (text: string) => ({ left: [], translation: prefix + text });

/** A value of each kind as an introduction shows it, and the part that is looked for. */
const values = {
  name: { known: 'Mr. John Gradorludev came.', value: 'Gradorludev' },
  email: { known: 'Write to zorvan.quell@example.org.', value: 'zorvan.quell@example.org' },
  phone: { known: 'Call +49 30 9018 2733.', value: '+49 30 9018 2733' },
  card: { known: 'Charge 4012 8888 8888 1881.', value: '4012 8888 8888 1881' },
  iban: { known: 'Pay to GB29 NWBK 6016 1331 9268 19.', value: 'GB29 NWBK 6016 1331 9268 19' },
  term: { known: 'The plan.', value: 'Halcyon Mirage', terms: ['Halcyon Mirage'] },
  pattern: { known: 'The plan.', value: 'CN-445566', patterns: ['CN-[0-9]{6}'] },
} as const satisfies Record<string, { known: string; value: string } & Partial<Form>>;

type Kind = keyof typeof values;

const middle = (value: string) => Math.ceil(value.length / 2);
const inMiddle = (value: string, piece: string) =>
  value.slice(0, middle(value)) + piece + value.slice(middle(value));
const atGap = (value: string, piece: string) =>
  value.includes(' ') ? value.replace(/ (?=\S+$)/, piece) : inMiddle(value, `-${piece.trimStart()}`);
const all: readonly Kind[] = ['name', 'email', 'phone', 'card', 'iban', 'term'];
const spaced: readonly Kind[] = ['phone', 'card', 'iban', 'term'];

/** The ways in which a value can be written once more, after the text has shown it. */
const ways: Record<string, [readonly Kind[], (value: string) => string]> = {
  'in small letters': [all, (value) => value.toLowerCase()],
  'in capitals': [all, (value) => value.toUpperCase()],
  'with digits behind it': [['name', 'term'], (value) => `${value.toLowerCase().replace(' ', '')}42`],
  'with digits before it': [['name', 'term'], (value) => `42${value.toLowerCase().replace(' ', '')}`],
  'with a letter before it': [['name', 'term'], (value) => `j${value.toLowerCase().replace(' ', '')}`],
  'within a word': [['name', 'term'], (value) => `Super${value.toLowerCase().replace(' ', '')}plan`],
  'joined by underscores': [['name', 'term'], (value) => `my_${value.replace(' ', '_')}_file`],
  'in a path': [['name', 'term', 'email'], (value) => `https://x.example/u/${value.replace(' ', '-')}/edit`],
  'in an escaped address': [all, (value) => `https://x.example/?q=${encodeURIComponent(value)}`],
  'in escapes of JSON': [
    all,
    (value) => value.replace(/[a-z0-9]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ],
  'in entities of HTML': [all, (value) => value.replace(/[ .@a]/g, (unit) => `&#${unit.charCodeAt(0)};`)],
  'with tags inside': [all, (value) => inMiddle(value, '<b>')],
  'with bold letters': [all, (value) => `${inMiddle(value, '**')}**`],
  'in quotation marks': [all, (value) => `“${value}”`],
  'with a soft hyphen': [all, (value) => inMiddle(value, '\u00ad')],
  'over two lines': [spaced, (value) => atGap(value, '\n')],
  'over two quoted lines': [spaced, (value) => atGap(value, '\n> ')],
  'with a hyphen at the end of a line': [['name', 'term'], (value) => inMiddle(value, '-\n')],
  'in two subtitles': [spaced, (value) => atGap(value, '\n\n2\n00:00:03,500 --> 00:00:06,000\n')],
};

const known = Object.entries(ways).flatMap(([way, [kinds, write]]) =>
  kinds.map((kind) => ({ way, kind, ...values[kind], written: write(values[kind].value) })),
);

describe('a value that a text shows does not leave', () => {
  test.each(known)('$way: $kind', async ({ known: shown, written, value, ...rules }) => {
    const text = `${shown} Then we saw ${written} in the letter.`;
    expect(await send({ text, secrets: [value], ...rules })).toEqual(kept(text));
  });
});

/** Values that only their surroundings show. */
const hidden: Record<string, [text: string, ...secrets: string[]]> = {
  'a phone over two lines': ['Call +49 30 9018\n2733 now.', '49309018', '2733'],
  'a card over two lines': ['Charge 4012 8888\n8888 1881 now.', '40128888', '88881881'],
  'an IBAN over two lines': ['Pay to GB29 NWBK 6016\n1331 9268 19 now.', 'GB29NWBK6016', '1331926819'],
  'a phone in two quoted lines': ['> Call +49 30 9018\n> 2733 now.', '49309018', '2733'],
  'a card with a hyphen at the end of a line': ['Charge 4012-8888-\n8888-1881 now.', '40128888', '88881881'],
  'a pattern over two lines': ['The number CN-\n445566 is it.', '445566'],
  'a title at the end of a line': ['We thank Mr.\nGradorludev for it.', 'Gradorludev'],
  'a surname in the next line': ['We thank Mr. John\nGradorludev for it.', 'Gradorludev'],
  'a surname in the next quoted line': ['> We thank Mr. John\n> Gradorludev for it.', 'Gradorludev'],
  'a name with a hyphen at the end of a line': [
    'We thank Mr. Grador-\nludev for it.',
    'Gradorludev',
    'ludev',
  ],
  'a name in two subtitles': [
    '1\n00:00:01,000 --> 00:00:03,000\nWe thank Mr. John\n\n2\n00:00:03,500 --> 00:00:06,000\nGradorludev for it.',
    'Gradorludev',
  ],
  'a name in quotation marks': ['We thank Mr. "Nepmavwimev" for it.', 'Nepmavwimev'],
  'a name with bold letters': ['We thank Mr. Dor**skubixev** for it.', 'Dorskubixev', 'skubixev'],
  'a name in italics': ['We thank Mr. _Dorskubixev_ for it.', 'Dorskubixev'],
  'a key of JSON': ['{"id": 4, "name": "Gradorludev", "city": "Rome"}', 'Gradorludev'],
  'a longer key of JSON': ['{"customerName": "jorkel gradorludev"}', 'jorkel', 'gradorludev'],
  'a key of YAML': ['user:\n  name: Gradorludev\n  city: Rome', 'Gradorludev'],
  'a key of a list in YAML': ['users:\n  - name: gradorludev\n    city: Rome', 'gradorludev'],
  'a column of Markdown': [
    '| Name | City |\n|------|------|\n| Gradorludev | Rome |\n| Jorkel Mavl | Paris |',
    ...['Gradorludev', 'Jorkel', 'Mavl'],
  ],
  'a column of CSV': [
    'id,name,city\n1,Gradorludev,Rome\n2,Jorkel Mavl,Paris',
    'Gradorludev',
    'Jorkel',
    'Mavl',
  ],
  'an address with [at]': ['Write to jorkel [at] example [dot] org now.', 'jorkel', 'exampledotorg'],
  'an address with (at)': ['Write to jorkel(at)example(dot)org now.', 'jorkel', 'exampledotorg'],
  'a surname before a given name': [
    'Present: GRADORLUDEV, John and MAVLPOXEV, Anna.',
    'Gradorludev',
    'Mavlpoxev',
  ],
};

describe('a value that only its surroundings show does not leave', () => {
  test.each(Object.entries(hidden))('%s', async (_, [text, ...secrets]) => {
    expect(await send({ text, secrets, patterns: ['CN-[0-9]{6}'] })).toEqual(kept(text));
  });
});

const table = '| Name | City |\n|---|---|\n| Gradorludev | Rome is nice |\n| Jorkel Mavl | Paris is nice |\n';
const cue = (number: number, text: string) =>
  `${number}\n00:00:0${number},000 --> 00:00:0${number},900\n${text}\n\n`;

/** Returns the secrets that a request for a file contains, and its segments with their translations. */
async function sendFile(
  { secrets, terms = [] }: Pick<Form, 'secrets' | 'terms'>,
  file: File,
  source_lang = 'en',
  target_lang = 'de',
) {
  const body = { redaction: { kinds: letterKinds, terms, patterns: [] } };
  await app.json('PATCH', '/api/tenants/security', { headers: mine.admin, body });
  const fields = { source_document: file, source_lang, target_lang, wait: 'true' };
  const { status, body: job } = await mine.send(fields);
  expect(status).toBe(200);
  const { segments } = await mine.segments(job.id);
  return { left: leftOf(secrets), segments };
}

describe('a value in the segments of a file does not leave', () => {
  test.each([
    [
      'a key of JSON',
      'a.json',
      '{"users": [{"name": "Gradorludev", "note": "ask gradorludev now"}]}',
      ['Gradorludev'],
    ],
    ['a key of YAML', 'a.yaml', 'user:\n  first_name: Jorkel\n  note: jorkel is nice\n', ['Jorkel']],
    ['a column of Markdown', 'a.md', table, ['Gradorludev', 'Jorkel', 'Mavl']],
    [
      'a name in two subtitles',
      'a.srt',
      cue(1, 'We thank Mr. John') + cue(2, 'Gradorludev for it.'),
      ['Gradorludev'],
    ],
    [
      'a card in two subtitles',
      'a.srt',
      cue(1, 'Charge 4012 8888') + cue(2, '8888 1881 now.'),
      ['40128888', '88881881'],
    ],
    [
      'a term in two subtitles',
      'a.srt',
      cue(1, 'It is Halcyon') + cue(2, 'Mirage again.'),
      ['Halcyon', 'Mirage'],
    ],
  ])('%s', async (_, name, text, secrets) => {
    const rules = { secrets, terms: ['Halcyon Mirage'] };
    const { left, segments } = await sendFile(rules, new File([text], name));
    expect(left).toEqual([]);
    for (const { source_text, target_text } of segments) expect(target_text).toBe(prefix + source_text);
  });
});

describe('forms that were written without knowledge of the rules', () => {
  test.each(forms as Form[])('$text', async (form) => {
    expect(await send(form)).toEqual(kept(form.text));
  });
});

/** A form in a language and, for a file, its format. The paragraphs of a DOCX file consist of runs. */
type StrangeForm = Omit<Form, 'text'> & {
  name: string;
  lang: string;
  format?: string;
  text: string | (string | string[])[][];
};

/** Returns a file; a run can have a letter for its style. */
async function fileOf({ text, format }: StrangeForm): Promise<File> {
  if (typeof text === 'string') return new File([text], `a.${format}`);
  const children = text.map(
    (runs) =>
      new Paragraph({
        children: runs.map((run) => {
          const [written, style] = [run].flat();
          return new TextRun({ text: written!, bold: style === 'b', italics: style === 'i' });
        }),
      }),
  );
  return new File(
    [new Uint8Array(await Packer.toBuffer(new Document({ sections: [{ children }] })))],
    'a.docx',
  );
}

describe('strange forms of other languages and formats', () => {
  test.each(strange as StrangeForm[])('$name', async (form) => {
    const target = form.lang === 'en' ? 'de' : 'en';
    const { text } = form;
    if (typeof text === 'string' && !form.format) {
      expect(await send({ ...form, text }, form.lang, target)).toEqual(kept(text));
      return;
    }
    const { left, segments } = await sendFile(form, await fileOf(form), form.lang, target);
    expect(left).toEqual([]);
    for (const { source_text, target_text } of segments) expect(target_text).toBe(prefix + source_text);
  });
});
