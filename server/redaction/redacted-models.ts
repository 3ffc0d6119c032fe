import { setImmediate } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type {
  CallScope,
  Embedder,
  Engine,
  EngineResult,
  Judgement,
  QualityIssue,
  Redaction,
  Translations,
} from '#server/platform/engines/engine.ts';
import { createSharedThreads, threadCount } from '#server/platform/threads/threads.ts';
import { type FoundTexts, findPersonalData, type Passage } from './entities.ts';
import { placeholdersIn, type Value } from './placeholders.ts';
import { readText } from './readable-text.ts';
import { mapIssue, mapTask, passagesOf, type Sent, withNotice, withoutDoubt } from './redacted-task.ts';
import type { RedactionWork } from './redaction-thread.ts';
import { type RedactionRules, rulesOf } from './rules.ts';
import { type RedactedText, Vault } from './vault.ts';

/** UTF-16 units of texts that are searched in one turn of the event loop, unless the workspace has own patterns. */
const inlineUnits = 2000;

/** Of `inlineUnits`, what this turn has left for the texts of all calls. */
let unitsLeft = inlineUnits;

/** Milliseconds after which other work gets its turn. */
const sliceMs = 15;

/** Maximum values of a text or document. 20,000 names take 80 MB. */
const maxValues = 20_000;

const thread = new URL('./redaction-thread.ts', import.meta.url);
/** No workspace gets all threads: its texts and patterns may take all of their time. */
const shares = {
  slots: threadCount + 1,
  slotsOfTenant: threadCount,
  maxWaiting: 2000,
  refusal: 'too many texts are being searched for personal data; try again later',
};

/** A search of 100,000 UTF-16 units takes less than a second, also if they are full of values. */
const findOnThread = createSharedThreads<RedactionWork>(thread, 'finds personal data', {
  ...shares,
  deadlineMs: 5000,
});

/** Searches with own patterns of workspaces. */
const findOwnOnThread = createSharedThreads<RedactionWork>(thread, 'finds values with patterns', {
  ...shares,
  deadlineMs: 10_000,
});

/** The rules of a workspace, and the values of one text or document. */
interface Session {
  rules: RedactionRules;
  vault: Vault;
  /** The last passages that were searched: the calls of a run have the same source. */
  searched: Map<string, FoundTexts>;
}

/** Maximum number of passages in `searched`. */
const maxSearched = 32;

/**
 * Returns the same services with models that get placeholders instead of personal data, if the workspace has rules for
 * that. All texts of a call pass here: nothing else sends texts to models.
 */
export function withRedaction<S extends Pick<Services, 'database' | 'embedder' | 'engine'>>(services: S): S {
  const { database, embedder, engine } = services;
  if (!engine.live && !engine.traitsOf && !embedder) return services;
  const sessions = new WeakMap<object, Promise<Session | null>>();
  const read = ({ tenantId }: CallScope) =>
    database.inTenant(tenantId, async (tx) => {
      const [row] = await tx.execute<{ rules: unknown }>(
        sql`select metadata -> 'redaction' as rules from tenants where tenant_id = ${tenantId}`,
      );
      return row?.rules;
    });
  const open = async (scope: CallScope, stored?: unknown): Promise<Session | null> => {
    // The stub sends nothing.
    const { live } = (await engine.traitsOf?.(scope.tenantId)) ?? engine;
    if (!live && !embedder) return null;
    const rules = rulesOf(stored === undefined ? await read(scope) : stored);
    return rules && { rules, vault: newVault(rules), searched: new Map() };
  };
  /** The rules are read once for each text or document, so that all of its requests have the same placeholders. */
  const sessionOf = (scope: CallScope, stored?: unknown): Promise<Session | null> => {
    const key = scope.run ?? scope;
    const known = sessions.get(key);
    if (known) return known;
    const opened = open(scope, stored);
    sessions.set(key, opened);
    opened.catch(() => sessions.delete(key));
    return opened;
  };
  return {
    ...services,
    engine: redactEngine(engine, sessionOf, (stored, scope) => void sessionOf(scope, stored)),
    embedder: embedder && redactEmbedder(embedder, sessionOf),
  };
}

type SessionOf = (scope: CallScope) => Promise<Session | null>;

function newVault({ terms }: RedactionRules): Vault {
  const vault = new Vault();
  for (const term of terms) vault.addTerm(term);
  return vault;
}

/** @throws AppError service_unavailable if the search does not end: nothing is sent then */
async function find(
  passages: readonly Passage[],
  rules: RedactionRules,
  scope: CallScope,
): Promise<FoundTexts[]> {
  const units = passages.reduce(
    (sum, { texts }) => sum + texts.reduce((all, { length }) => all + length, 0),
    0,
  );
  const searched = { passages, rules };
  const hasPatterns = rules.patterns.length > 0;
  if (!hasPatterns && units <= unitsLeft) {
    if (unitsLeft === inlineUnits) void setImmediate().then(() => (unitsLeft = inlineUnits));
    unitsLeft -= units;
    return findPersonalData(searched);
  }
  return (hasPatterns ? findOwnOnThread : findOnThread)('find', searched, scope, (cause) => {
    const words = hasPatterns
      ? 'the search for personal data did not end in time; shorten the workspace’s own patterns'
      : 'the search for personal data did not end in time';
    throw new AppError('service_unavailable', words, { cause });
  });
}

/** The replacement of what some texts contain. */
interface Replacing {
  vault: Vault;
  /** @param inflected values that may have any ending in the text */
  replace: (text: string, inflected?: ReadonlySet<Value>) => RedactedText;
}

/**
 * Finds what the texts contain, and returns how it is replaced in each of them.
 * @throws AppError validation_error if there are too many values. Nothing is sent then: without a value that one text
 *   shows, another text would be sent with it
 */
async function replacing(
  { rules, vault, searched }: Session,
  passages: readonly Passage[],
  scope: CallScope,
): Promise<Replacing> {
  const keyed = passages.map((passage) => [JSON.stringify(passage), passage] as const);
  const known = new Map(
    keyed.flatMap(([key]) => (searched.has(key) ? [[key, searched.get(key)!] as const] : [])),
  );
  const missing = new Map(keyed.filter(([key]) => !known.has(key)));
  const results = (await find([...missing.values()], rules, scope)).values();
  for (const key of missing.keys()) {
    const result = results.next().value!;
    known.set(key, result);
    searched.set(key, result);
    if (searched.size > maxSearched) searched.delete(searched.keys().next().value!);
  }
  const found: FoundTexts = new Map();
  for (const [text, entities] of [...known.values()].flatMap((one) => [...one]))
    found.set(text, [...(found.get(text) ?? []), ...entities]);
  for (const text of found.keys()) vault.reserve(text);
  let since = performance.now();
  for (const [text, entities] of found) {
    vault.learn(readText(text), entities);
    if (vault.size > maxValues)
      throw new AppError(
        'validation_error',
        `there are more than ${maxValues} names and other values that the workspace withholds from models; divide the document`,
      );
    if (performance.now() - since < sliceMs) continue;
    await setImmediate();
    since = performance.now();
  }
  for (const { texts, isLine } of passages) if (!isLine) vault.addOver(texts, found);
  const replaced = new Map<string, RedactedText>();
  const replace: Replacing['replace'] = (text, inflected) => {
    const done =
      (inflected ? undefined : replaced.get(text)) ?? vault.redact(text, found.get(text), inflected);
    replaced.set(text, done);
    return done;
  };
  return { vault, replace };
}

/** A call as the model gets it. */
interface Redacted extends Sent {
  vault: Vault;
  /** For each segment, what was replaced in it. */
  replaced: RedactedText['replaced'][];
  /** For each segment, the values that its translation may have. */
  allowed: ReadonlySet<Value>[];
}

const valuesOf = (replaced: RedactedText['replaced']) => new Set(replaced.map(({ value }) => value));

async function redactCall(session: Session, sent: Sent, scope: CallScope): Promise<Redacted> {
  const { vault, replace } = await replacing(session, passagesOf(sent), scope);
  const text = (original: string) => replace(original).text;
  const task = mapTask(sent.task, text);
  const replaced = sent.task.segments.map((segment) => replace(segment).replaced);
  /** A name that a translation seems to lack has an ending there, which a reviewer or another run has written. */
  const candidates = sent.candidates.map((texts) =>
    texts.map((translation, index) => {
      const done = replace(translation);
      const missing = valuesOf(replaced[index] ?? []);
      for (const { value } of done.replaced) missing.delete(value);
      return missing.size === 0 ? done : replace(translation, missing);
    }),
  );
  const used = valuesOf([replaced, ...candidates.map((texts) => texts.map((one) => one.replaced))].flat(2));
  const allowed = replaced.map((own, index) =>
    // The segments of a page are parts of one text, within which a name can move.
    sent.task.textType === 'Html'
      ? used
      : valuesOf([...own, ...candidates.flatMap((texts) => texts[index]?.replaced ?? [])]),
  );
  return {
    vault,
    replaced,
    allowed,
    task: used.size === 0 ? withoutDoubt(task) : withNotice(withoutDoubt(task), used),
    candidates: candidates.map((texts) => texts.map((one) => one.text)),
    // A finding quotes the real values, perhaps shortened.
    issues: sent.issues.map((issue) => mapIssue(issue, (quote) => vault.redactParts(text(quote), used))),
  };
}

function redactEngine(engine: Engine, sessionOf: SessionOf, begin: Redaction['begin']): Engine {
  /** Calls the engine with placeholders, and puts the values back into its reply. */
  const call = async <T>(
    { candidates = [], issues = [], task }: Pick<Sent, 'task'> & Partial<Sent>,
    scope: CallScope,
    ask: (sent: Sent) => Promise<EngineResult<T>>,
    restore: (value: T, redacted: Redacted) => T,
  ): Promise<EngineResult<T>> => {
    const session = await sessionOf(scope);
    if (!session) return ask({ task, candidates, issues });
    const redacted = await redactCall(session, { task, candidates, issues }, scope);
    const result = await ask(redacted);
    return { ...result, value: restore(result.value, redacted) };
  };
  const translations = (texts: Translations, { vault, replaced, allowed }: Redacted) =>
    texts.map((text, index) => vault.restore(text, replaced[index], allowed[index]));
  const judgement = <J extends Judgement>(judged: J, { vault }: Redacted): J => ({
    ...judged,
    summary: vault.restore(judged.summary),
    issues: judged.issues.map((issue) => mapIssue(issue, (text) => vault.restore(text))),
  });
  return {
    live: engine.live,
    withoutJudge: engine.withoutJudge,
    ...(engine.traitsOf && { traitsOf: engine.traitsOf }),
    translate: (task, scope, model) =>
      call({ task }, scope, (sent) => engine.translate(sent.task, scope, model), translations),
    assess: (task, candidate, scope) =>
      call(
        { task, candidates: [candidate] },
        scope,
        (sent) => engine.assess(sent.task, sent.candidates[0]!, scope),
        judgement,
      ),
    assessEach: (task, candidate, scope) =>
      call(
        { task, candidates: [candidate] },
        scope,
        (sent) => engine.assessEach(sent.task, sent.candidates[0]!, scope),
        (judged, redacted) => judged.map((one) => judgement(one, redacted)),
      ),
    repair: (task, candidate, issues, scope) =>
      call(
        { task, candidates: [candidate], issues },
        scope,
        (sent) => engine.repair(sent.task, sent.candidates[0]!, sent.issues, scope),
        translations,
      ),
    compare: (task, candidates, scope) =>
      call(
        { task, candidates },
        scope,
        (sent) => engine.compare(sent.task, sent.candidates, scope),
        (chosen, { vault }) => ({ ...chosen, rationale: vault.restore(chosen.rationale) }),
      ),
    verify: (task, candidate, scope) =>
      call(
        { task, candidates: [candidate] },
        scope,
        (sent) => engine.verify(sent.task, sent.candidates[0]!, scope),
        judgement,
      ),
    redaction: { begin, ...redactionOf(sessionOf) },
  };
}

/** Maximum UTF-16 units of texts of a document that are searched together, unless one is longer: less than a second. */
const maxPassage = 100_000;

/** Divides texts into passages that a thread searches well before its deadline. */
function* dividedTexts(texts: readonly string[]): Generator<string[]> {
  let passage: string[] = [];
  let units = 0;
  for (const text of texts) {
    units += text.length;
    if (units > maxPassage && passage.length > 0) {
      yield passage;
      passage = [];
      units = text.length;
    }
    passage.push(text);
  }
  yield passage;
}

function redactionOf(sessionOf: SessionOf): Omit<Redaction, 'begin'> {
  return {
    async learn(texts, scope) {
      const session = await sessionOf(scope);
      if (!session) return;
      // First all texts, so that no word of the user is the placeholder of a value.
      for await (const part of texts()) for (const text of part) session.vault.reserve(text);
      for await (const part of texts())
        for (const passage of dividedTexts(part)) await replacing(session, [{ texts: passage }], scope);
    },
    async receiptOf(segments, scope) {
      const session = await sessionOf(scope);
      if (!session) return null;
      const { replace } = await replacing(session, [{ texts: segments }], scope);
      const values = valuesOf(segments.flatMap((text) => replace(text).replaced));
      const replaced: Record<string, number> = {};
      for (const { kind, written } of values)
        if (placeholdersIn(written)[0] !== written) replaced[kind] = (replaced[kind] ?? 0) + 1;
      return { replaced };
    },
    async issuesOf(segments, translations, scope) {
      const session = await sessionOf(scope);
      if (!session) return [];
      const { vault, replace } = await replacing(session, [{ texts: segments }], scope);
      const own = new Set(placeholdersIn(segments.join('\n').toLowerCase()));
      const expected = segments.flatMap((text) => replace(text).replaced);
      const parts = new Set([...valuesOf(expected)].filter(({ isPart }) => isPart));
      return lostValueIssues(
        expected,
        translations.flatMap((text) => vault.redact(text, [], parts).replaced),
        placeholdersIn(translations.join('\n')).filter((one) => !own.has(one.toLowerCase())),
      );
    },
  };
}

/** Maximum number of lost values in a report. */
const maxIssues = 20;

/** Returns a critical issue for each value that a translation has not as often as its source, and for each unknown placeholder. */
function lostValueIssues(
  expected: RedactedText['replaced'],
  actual: RedactedText['replaced'],
  unknown: readonly string[],
): QualityIssue[] {
  const counts = new Map<Value, number>();
  for (const { value } of expected) counts.set(value, (counts.get(value) ?? 0) + 1);
  for (const { value } of actual) if (counts.has(value)) counts.set(value, counts.get(value)! - 1);
  const wrong = [...counts].filter(([, missing]) => missing !== 0);
  return [
    ...wrong.map(([{ written }, missing]) => ({
      span: written,
      explanation:
        missing > 0
          ? `“${written}” of the source was replaced for the model, and is missing.`
          : `“${written}” of the source was replaced for the model, and is there too often.`,
      suggestion: `Write “${written}” as often as the source.`,
    })),
    ...unknown.map((span) => ({
      span,
      explanation: `“${span}” looks like a placeholder for personal data, but stands for nothing.`,
      suggestion: `Remove “${span}”.`,
    })),
  ]
    .slice(0, maxIssues)
    .map((issue) => ({ severity: 'critical', category: 'accuracy', ...issue }));
}

function redactEmbedder(embedder: Embedder, sessionOf: SessionOf): Embedder {
  return {
    model: embedder.model,
    async embed(texts, scope) {
      const session = await sessionOf(scope);
      if (!session) return embedder.embed(texts, scope);
      // Without a run, the texts do not belong together: each has the same placeholders whenever it is sent.
      if (scope.run) {
        const { replace } = await replacing(session, [{ texts }], scope);
        return embedder.embed(
          texts.map((text) => replace(text).text),
          scope,
        );
      }
      const found = await find(
        texts.map((text) => ({ texts: [text] })),
        session.rules,
        scope,
      );
      const own = texts.map((text, index) => {
        const vault = newVault(session.rules);
        const entities = found[index]?.get(text) ?? [];
        vault.reserve(text);
        vault.learn(readText(text), entities);
        return vault.redact(text, entities).text;
      });
      return embedder.embed(own, scope);
    },
  };
}
