import type { TaskStyle } from '#server/platform/engines/engine.ts';
import { serveThread } from '#server/platform/threads/threads.ts';
import { findIssues, findIssuesOfText, type Inspection, type ProposedTranslation } from '../inspection.ts';
import { allRisks } from '../plausibility/index.ts';
import { hasForbiddenWord } from '../style/index.ts';
import { problemsOfUnits } from '../unit-problems.ts';

/** The checks of long texts, which `check-threads.ts` runs. */
const work = {
  inspect: (asked: Inspection) => resultOf(findIssues(asked)),
  inspectText: (asked: ProposedTranslation) => resultOf(findIssuesOfText(asked)),
  forbidden: (asked: { text: string; style: TaskStyle; language: string }) =>
    hasForbiddenWord(asked.text, asked.style, asked.language),
  risks: allRisks,
  units: problemsOfUnits,
};

function resultOf<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

export type CheckWork = typeof work;

serveThread(work);
