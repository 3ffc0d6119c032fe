import { canonicalLanguage, supportedLanguages } from '../../languages.ts';
import type { TaskExample, TaskTerm, TranslationTask } from '../engine.ts';

/** What one prompt holds at most; `targets` are of one term, units are UTF-16 units of both sides of all terms, of all pairs. */
const most = { targets: 5, glossaryUnits: 20_000, examples: 10, exampleUnits: 40_000 };

/**
 * The task as the fields that the instructions speak about, but for its texts, which the roles add. A caller's words go
 * to a model in such data and nowhere else.
 */
export function taskData(task: TranslationTask) {
  return {
    source_lang: language(task.sourceLang),
    target_lang: language(task.targetLang),
    text_type: task.textType,
    tone: task.tone,
    gender: task.gender,
    domain: task.domain,
    glossary: glossaryData(task.glossary ?? []),
    examples: exampleData(task.examples ?? []),
  };
}

/** The preferred targets of the first terms that fit. */
function glossaryData(terms: readonly TaskTerm[]): TaskTerm[] {
  const told: TaskTerm[] = [];
  let units = 0;
  for (const { source, targets } of terms) {
    const term = { source, targets: targets.slice(0, most.targets) };
    for (const text of [source, ...term.targets]) units += text.length;
    if (units > most.glossaryUnits) break;
    told.push(term);
  }
  return told;
}

/** The first pairs that fit. One is left out rather than clipped: half of it would teach a model to stop halfway. */
function exampleData(examples: readonly TaskExample[]) {
  const told: Pick<TaskExample, 'source' | 'target'>[] = [];
  let units = 0;
  for (const { source, target } of examples.slice(0, most.examples)) {
    const length = source.length + target.length;
    if (units + length > most.exampleUnits) continue;
    units += length;
    told.push({ source, target });
  }
  return told;
}

/** With its name, since not every model reads `nb` or `fr-CA` the same way. */
function language(code: string) {
  const known = canonicalLanguage(code);
  return { code, name: known ? supportedLanguages[known] : code };
}
