import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { promptVersion } from '#server/platform/engines/chat/prompts.ts';
import type { QualityIssue, TranslationTask } from '#server/platform/engines/engine.ts';
import { agreeable, askedOf, completion } from '#test/fakes/openai.ts';
import { eachRole, plain, scope, useFakeUpstream } from './live-engine.ts';

/*
 * A change of a prompt must not cost findings. The fake judge returns each finding only if the request still has what
 * the finding is based on, as the prompts of version 1 had it. So this shows what a prompt has lost, and not how
 * well a model reads it: no model was called for these findings.
 */

const upstream = useFakeUpstream();

interface Recorded {
  kind: string;
  task: Partial<TranslationTask>;
  source: string;
  wrong: string;
  finding: Pick<QualityIssue, 'severity' | 'category' | 'span'>;
  /** Words of the instructions, and values of the message, without which a judge cannot know that it is an error. */
  says: RegExp[];
  has?: unknown[];
}

const found = (severity: QualityIssue['severity'], category: QualityIssue['category'], span: string) => ({
  severity,
  category,
  span,
});

const recorded: Recorded[] = [
  {
    kind: 'omission',
    task: {},
    source: 'Close the valve. Then call the doctor.',
    wrong: 'Schließen Sie das Ventil.',
    finding: found('critical', 'accuracy', 'Then call the doctor.'),
    says: [/omissions/, /critical, .*loses/s],
  },
  {
    kind: 'addition',
    task: {},
    source: 'The train leaves at noon.',
    wrong: 'Der Zug fährt mittags ab, wie immer zu spät.',
    finding: found('major', 'accuracy', 'wie immer zu spät'),
    says: [/additions/],
  },
  {
    kind: 'number',
    task: {},
    source: 'Take 1.5 mg twice a day.',
    wrong: 'Nehmen Sie zweimal täglich 15 mg.',
    finding: found('critical', 'accuracy', '15 mg'),
    says: [/numbers, .* stay as they are/, /wrong meaning/],
  },
  {
    kind: 'negation',
    task: {},
    source: 'Do not open the cover.',
    wrong: 'Öffnen Sie die Abdeckung.',
    finding: found('critical', 'accuracy', 'Öffnen Sie die Abdeckung.'),
    says: [/critical, reverses/],
  },
  {
    kind: 'sense',
    task: { notes: ['verb, on a button'] },
    source: 'Open',
    wrong: 'Geöffnet',
    finding: found('major', 'accuracy', 'Geöffnet'),
    says: [/wrong meaning/, /- note of a segment/],
    has: ['verb, on a button'],
  },
  {
    kind: 'term',
    task: { glossary: [{ source: 'valve', targets: ['Ventil'], forbidden: ['Klappe'] }] },
    source: 'Close the valve.',
    wrong: 'Schließen Sie die Klappe.',
    finding: found('major', 'terminology', 'Klappe'),
    says: [/- glossary: /, /- forbidden of a glossary term/, /is a terminology issue/],
    has: [{ source: 'valve', targets: ['Ventil'], forbidden: ['Klappe'] }],
  },
  {
    kind: 'register',
    task: { tone: 'formal' },
    source: 'Close the door.',
    wrong: 'Mach die Tür zu.',
    finding: found('minor', 'style', 'Mach'),
    says: [/style \(register, tone\)/, /- tone: /],
    has: ['formal'],
  },
  {
    kind: 'guide',
    task: {
      style: {
        rules: ['Write “Kundin” in full.'],
        quotationMarks: '„“',
        spacing: null,
        formality: null,
        forbiddenWords: [{ term: 'Kunde', use_instead: null }],
      },
    },
    source: 'The customer.',
    wrong: 'Der Kunde.',
    finding: found('minor', 'style', 'Kunde'),
    says: [/- style_guide: /, /is a style issue/],
    has: ['Write “Kundin” in full.', 'Kunde'],
  },
  {
    kind: 'tag',
    task: { hasTags: true },
    source: 'Read the <1>manual</1>.',
    wrong: 'Lesen Sie <1>das</1> Handbuch.',
    finding: found('minor', 'style', '<1>das</1>'),
    says: [/- Inline tags: .*at the words that it belongs to/s],
  },
];

const has = (data: unknown, value: unknown): boolean => JSON.stringify(data).includes(JSON.stringify(value));

test.each(recorded)('$kind: a judge still gets what it needs to find it', async (one) => {
  const issue = { ...one.finding, explanation: 'as recorded', suggestion: null };
  upstream.fake.otherwise((response, request) => {
    const system = request.body.messages[0]!.content;
    const { role, data } = askedOf(request);
    const [segment] = data.segments;
    const knows =
      segment?.source === one.source &&
      segment.translation === one.wrong &&
      one.says.every((words) => words.test(system)) &&
      (one.has ?? []).every((value) => has(data, value));
    const judged = { issues: knows ? [issue] : [], score: knows ? 70 : 97 };
    const content =
      role === 'segment_assessment'
        ? { judgements: [{ id: 1, ...judged }] }
        : { ...judged, summary: 'as recorded', passed: !knows };
    completion({ content })(response, request);
  });
  const task = { ...plain, ...one.task, segments: [one.source] };
  const engine = upstream.engine();
  const each = await engine.assessEach(task, [one.wrong], scope);
  expect(each.value.map(({ issues }) => issues)).toEqual([[issue]]);
  // Notes belong to segments of documents, which are judged one by one.
  if (one.task.notes) return;
  expect((await engine.assess(task, [one.wrong], scope)).value.issues).toEqual([issue]);
  expect((await engine.verify(task, [one.wrong], scope)).value.issues).toEqual([issue]);
});

test('a change of the prompts raises their version, which is recorded with each result', async () => {
  upstream.fake.otherwise(agreeable);
  const all = Object.assign({}, ...recorded.map(({ task }) => task), {
    gender: 'x',
    domain: 'x',
    sentences: [{ source: 'a', target: 'b' }],
    examples: [{ source: 'a', target: 'b', similarity: 0.9 }],
    contextBefore: 'x',
    document: { outline: ['x'], section: 'x', hasTags: true, hasNotes: true },
  });
  for (const [, call] of eachRole)
    expect((await call(upstream.engine(), { ...plain, ...all })).prompts).toBe(promptVersion);
  await upstream.engine().assessEach({ ...plain, ...all, textType: 'Html' }, ['x'], scope);
  const said = upstream.fake.requests.map(({ body }) => [body.messages[0]!.content, body.response_format]);
  const digest = createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, 12);
  expect([promptVersion, digest]).toEqual([4, '43abc2879967']);
});
