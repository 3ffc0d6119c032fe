import type {
  QualityIssue,
  TaskDocument,
  TaskExample,
  TaskSentence,
  TaskStyle,
  TaskTerm,
  Translations,
  TranslationTask,
} from '#server/platform/engines/engine.ts';
import type { Passage } from './entities.ts';
import { placeholdersIn, type Value } from './placeholders.ts';

/** Replaces a text of a request. */
export type Replace = (text: string) => string;

/** Everything that a call of an engine sends, except names of languages and models. */
export interface Sent {
  task: TranslationTask;
  candidates: readonly Translations[];
  issues: readonly QualityIssue[];
}

/** Returns the texts of a call. */
export function passagesOf({ task, candidates, issues }: Sent): Passage[] {
  const lines = [...(task.contextBefore ? [task.contextBefore] : []), ...task.segments];
  const others: string[] = [];
  const collect = (text: string) => {
    others.push(text);
    return text;
  };
  mapTask({ ...task, segments: [], contextBefore: null }, collect);
  for (const issue of issues) mapIssue(issue, collect);
  const passages = [lines, ...candidates, ...others.map((text) => [text])].map((texts) => ({ texts }));
  return task.textType === 'Html' ? [...passages, { texts: lines, isLine: true }] : passages;
}

/** Returns a task with every text replaced. */
export function mapTask(task: TranslationTask, replace: Replace): TranslationTask {
  const option = (text: string | null) => text && replace(text);
  const pair = <P extends { source: string; target: string }>(one: P): P => ({
    ...one,
    source: replace(one.source),
    target: replace(one.target),
  });
  return {
    ...task,
    segments: task.segments.map(replace),
    ...(task.keep && { keep: task.keep.map(replace) }),
    ...(task.notes && { notes: task.notes.map(option) }),
    tone: option(task.tone),
    gender: option(task.gender),
    domain: option(task.domain),
    routeDomain: task.domain,
    ...(task.style && { style: mapStyle(task.style, replace) }),
    ...(task.glossary && { glossary: task.glossary.map((term) => mapTerm(term, replace)) }),
    ...(task.sentences && { sentences: task.sentences.map(pair) }),
    ...(task.examples && { examples: task.examples.map(pair) }),
    ...(task.document && { document: mapDocument(task.document, replace) }),
    ...(task.contextBefore !== undefined && { contextBefore: option(task.contextBefore) }),
  };
}

function mapDocument(document: TaskDocument, replace: Replace): TaskDocument {
  const { outline, section } = document;
  return { ...document, outline: outline.map(replace), ...(section && { section: replace(section) }) };
}

function mapStyle(style: TaskStyle, replace: Replace): TaskStyle {
  return {
    ...style,
    rules: style.rules.map(replace),
    forbiddenWords: style.forbiddenWords.map((word) => ({
      term: replace(word.term),
      use_instead: word.use_instead && replace(word.use_instead),
    })),
  };
}

function mapTerm(term: TaskTerm, replace: Replace): TaskTerm {
  const { forbidden, definition, note } = term;
  return {
    ...term,
    source: replace(term.source),
    targets: term.targets.map(replace),
    ...(forbidden && { forbidden: forbidden.map(replace) }),
    ...(definition !== undefined && { definition: replace(definition) }),
    ...(note !== undefined && { note: replace(note) }),
  };
}

export function mapIssue(issue: QualityIssue, replace: Replace): QualityIssue {
  return {
    ...issue,
    span: issue.span && replace(issue.span),
    explanation: replace(issue.explanation),
    suggestion: issue.suggestion && replace(issue.suggestion),
    ...(issue.replacement && { replacement: replace(issue.replacement) }),
  };
}

/**
 * Leaves out terms with personal data, and pairs whose two sides do not have the same placeholders: what was found in one
 * language may be written in a way that was not found in the other.
 */
export function withoutDoubt(task: TranslationTask): TranslationTask {
  const isEqual = ({ source, target }: TaskSentence | TaskExample) =>
    placeholdersIn(source).sort().join() === placeholdersIn(target).sort().join();
  return {
    ...task,
    ...(task.glossary && {
      glossary: task.glossary.filter(({ source }) => placeholdersIn(source).length === 0),
    }),
    ...(task.sentences && { sentences: task.sentences.filter(isEqual) }),
    ...(task.examples && { examples: task.examples.filter(isEqual) }),
  };
}

const noStyle = { rules: [], quotationMarks: null, spacing: null, formality: null, forbiddenWords: [] };

/** Maximum number of persons whose gender is stated. */
const maxGenders = 100;

/** Adds what the model must know about placeholders as a rule of style, because every engine has such rules. */
export function withNotice(task: TranslationTask, used: ReadonlySet<Value>): TranslationTask {
  const style = task.style ?? noStyle;
  const of = (gender: Value['gender']) =>
    [...used].flatMap((value) => (value.gender === gender ? value.placeholder : [])).slice(0, maxGenders);
  const [women, men] = [of('f'), of('m')];
  const [first] = used;
  const rule = [
    `Words such as ${first!.placeholder} stand for names and numbers that are withheld: keep each exactly as it is, as often as in the source, also with an ending behind it.`,
    women.length > 0 ? `Women: ${women.join(', ')}.` : '',
    men.length > 0 ? `Men: ${men.join(', ')}.` : '',
  ];
  return { ...task, style: { ...style, rules: [...style.rules, rule.filter(Boolean).join(' ')] } };
}
