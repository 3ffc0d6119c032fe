import { memoryText, plainText } from '#server/formats/inline-content.ts';
import type {
  Judgement,
  Translations,
  TranslationTask,
  Verification,
} from '#server/platform/engines/engine.ts';
import { checkTranslation, inspectTranslation, isCritical, withFindings } from '../checks.ts';
import { checkLength } from '../request.ts';
import type { Policy } from './policy.ts';
import { isDoubtful } from './quality-gate.ts';
import { type Assessed, type Draft, type Run, spend, translationsOf } from './run.ts';
import { limitsOfText, readRepaired, taggedIssues, taskOfTexts } from './tagged-segments.ts';
import { recordStep } from './trace.ts';

/**
 * Scores drafts with the engine and adds the issues found by the service's own checks.
 * @param task the task of the texts of the drafts, in the same order
 * @param name the step's name in the trace
 */
export function judge(
  run: Run,
  task: TranslationTask,
  drafts: readonly Draft[],
  name: 'quality_assessment' | 'reassessment',
): Promise<Assessed[]> {
  const { engine, policy, scope, steps } = run;
  const input = name === 'reassessment' ? 'repaired translation' : 'translation';
  return recordStep(steps, { name, actor: 'quality_judge', input }, async () => {
    // Of links, code and numbers, the checks know as much as a model.
    const asked = policy.judgesEach ? drafts.filter(hasWords) : drafts;
    const part =
      asked.length === drafts.length
        ? task
        : taskOfTexts(
            task,
            asked.map(({ of }) => of),
          );
    const texts = translationsOf(asked);
    const result = policy.judgesEach
      ? await engine.assessEach(part, texts, scope)
      : await engine.assess(part, texts, scope);
    const given = [result.value].flat();
    const judgements = new Map(asked.map((draft, index) => [draft, given[index]!]));
    const model = result.models[0] ?? null;
    const check = async ({ of, translations, tagged }: Draft) => {
      const texts = tagged ? [plainText(tagged.inner)] : translations;
      const found = await checkTranslation(run, of, texts, tagged && memoryText(tagged.inner));
      const lengths = await Promise.all(
        limitsOfText(of).map(async (limit) => ({
          ...(await checkLength(limit, tagged ? texts : of.text.paragraphsOf(of.text.rebuild(translations)))),
          isAdvice: limit.lengthUnit === null,
        })),
      );
      const issuesOf = (advice: boolean) =>
        lengths.flatMap(({ isAdvice, issues }) => (isAdvice === advice ? issues : []));
      return {
        ...found,
        // Only advice does not lower the score. The stub returns the source, so its translations are exempt.
        findings: engine.live ? [...found.findings, ...issuesOf(false)] : found.findings,
        excess: lengths.reduce((sum, { excess }) => sum + excess, 0),
        advice: issuesOf(true),
      };
    };
    const [only] = drafts;
    const checked = only && drafts.length === 1 ? [await check(only)] : await Promise.all(drafts.map(check));
    const value = drafts.map((draft, index): Assessed => {
      const { findings, compliance, excess, advice } = checked[index]!;
      const { score, issues, summary } = withFindings(engine, judgements.get(draft) ?? unjudged, findings);
      const all = [...taggedIssues(draft, findings), ...advice, ...issues];
      return { ...draft, judgement: { score, issues: all, summary, model }, compliance, excess };
    });
    const found = checked.reduce((sum, { findings }) => sum + findings.length, 0);
    return {
      value,
      output: `score ${value.map(({ judgement }) => judgement.score).join(', ')}, ${found} findings of the service's checks`,
      metadata: spend(run, result),
    };
  });
}

const unjudged: Judgement = { score: 100, issues: [], summary: '' };

/** Whether a text or its translation has words that a model can judge. */
function hasWords({ of, translations }: Draft): boolean {
  const { protectedText, inner } = of.tagged ?? { protectedText: null, inner: [] };
  const words = [plainText(inner), ...translations].join(' ').replace(/<\/?\d{1,9}\/?>/g, '');
  return protectedText?.hasOtherWords !== false && /\p{L}/u.test(words);
}

/**
 * Repairs and assesses doubtful translations repeatedly, if there is a model for it. Stops when none is doubtful or too long, when all rounds are
 * used, or when a repair of a text changes nothing. A repair that is not better is discarded.
 * @returns the best translation of each text, and the number of repairs that the engine made
 */
export async function repairLoop(
  run: Run,
  task: TranslationTask,
  assessed: readonly Assessed[],
): Promise<{ best: readonly Assessed[]; rounds: number }> {
  const { policy } = run;
  let best = assessed;
  let rounds = 0;
  while (rounds < policy.repairRounds && !run.engine.withoutJudge) {
    const poor = best.filter((candidate) => isDoubtful(policy, candidate) || candidate.excess > 0);
    if (poor.length === 0) break;
    rounds += 1;
    const texts = poor.map(({ of }) => of);
    const part = taskOfTexts(task, texts);
    const drafts = (await repairOnce(run, part, poor, rounds)).filter(
      (draft, index) =>
        countChanges(draft.translations, poor[index]!.translations) > 0 ||
        draft.tagged?.lostTags !== poor[index]!.tagged?.lostTags,
    );
    if (drafts.length === 0) break;
    const changed = taskOfTexts(
      task,
      drafts.map(({ of }) => of),
    );
    const judged = await judge(run, changed, drafts, 'reassessment');
    best = best.map((candidate) => {
      const repaired = judged.find(({ of }) => of === candidate.of);
      return repaired && isBetter(policy, repaired, candidate) ? repaired : candidate;
    });
  }
  return { best, rounds };
}

/** Repairs translations once, based on their issues. */
function repairOnce(
  run: Run,
  task: TranslationTask,
  poor: readonly Assessed[],
  round: number,
): Promise<Draft[]> {
  const issues = poor.flatMap(({ judgement }) => judgement.issues);
  return recordStep(
    run.steps,
    { name: 'repair', actor: 'refiner', input: `round ${round}, ${issues.length} issues` },
    async () => {
      const texts = translationsOf(poor);
      const result = await run.engine.repair(task, texts, issues, run.scope);
      const replies = result.value;
      return {
        value: poor.map((candidate, index) => readRepaired(candidate, replies, index)),
        output: `${countChanges(replies, texts)} of ${texts.length} segments changed`,
        metadata: spend(run, result),
      };
    },
  );
}

function countChanges(texts: Translations, than: Translations): number {
  return texts.filter((text, index) => text !== than[index]).length;
}

/** Compares faults first, then lengths, then scores. So a judge model's score never outweighs a lost placeholder. */
function isBetter(policy: Policy, candidate: Assessed, than: Assessed): boolean {
  const [faults, others] = [faultsOf(policy, candidate), faultsOf(policy, than)];
  const worse = faults[0] - others[0] || faults[1] - others[1] || candidate.excess - than.excess;
  return worse === 0 ? candidate.judgement.score > than.judgement.score : worse < 0;
}

/**
 * Returns the numbers of critical issues and of missing or forbidden terms, to which a text that is too long adds one; for a
 * segment, whether it is doubtful.
 */
function faultsOf(policy: Policy, candidate: Assessed): [number, number] {
  const { judgement, compliance, excess } = candidate;
  if (policy.judgesEach) return [Number(isDoubtful(policy, candidate)), 0];
  const criticals = judgement.issues.filter(({ severity }) => severity === 'critical');
  const { missing_terms = [], forbidden_terms = [] } = compliance ?? {};
  return [criticals.length, missing_terms.length + forbidden_terms.length + Number(excess > 0)];
}

/** Verifies the final translation. The verification passes only if the service's own checks find no critical issue. */
export function verify(run: Run, task: TranslationTask, { of, translations }: Draft): Promise<Verification> {
  return recordStep(
    run.steps,
    { name: 'verification', actor: 'verifier', input: 'final translation' },
    async () => {
      const result = await run.engine.verify(task, translations, run.scope);
      const findings = await inspectTranslation(run, of.text, translations);
      const found = withFindings(run.engine, result.value, findings);
      const value = { ...found, passed: found.passed && !isCritical(found) };
      return {
        value,
        output: `${value.passed ? 'passed' : 'not passed'}, score ${value.score}`,
        metadata: spend(run, result),
      };
    },
  );
}
