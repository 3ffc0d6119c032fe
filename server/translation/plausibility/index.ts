import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { addedLinkIssue, foreignFormIssue, hiddenCharactersIssue } from './additions.ts';
import { echoIssue } from './echo.ts';
import { languageIssue } from './language.ts';
import { lengthIssue, sentenceIssue } from './length-ratio.ts';
import { loopIssue } from './loop.ts';
import { refusalIssue } from './refusal.ts';
import { scriptIssue } from './script.ts';
import { textPair } from './text-pair.ts';

/**
 * Finds the issues of a text that cannot be a translation of `sourceText`, whatever its score: an echo of the source, a
 * text far too short or long, with a sentence too few or too many, the wrong script or language, a phrase that the model repeats in a loop, a model's
 * refusal or remark, an invented link, markup or code. Every issue is critical. Echo, script and language often have
 * one cause, so only the first of them is returned.
 *
 * The texts are plain text (for HTML, its text nodes, one per line). Accepts any string; time and memory are linear in
 * its length. If a text has more than 64,000 UTF-16 units, only its start, middle and end are read. The languages are
 * canonical codes.
 */
export function checkPlausibility(input: {
  sourceText: string;
  targetText: string;
  sourceLang: string;
  targetLang: string;
}): QualityIssue[] {
  const pair = textPair(input);
  return [
    lengthIssue(pair) ?? sentenceIssue(pair),
    echoIssue(pair) ?? scriptIssue(pair) ?? languageIssue(pair),
    loopIssue(pair),
    refusalIssue(pair),
    addedLinkIssue(pair),
    foreignFormIssue(pair),
    hiddenCharactersIssue(input.sourceText, input.targetText),
  ].filter((issue) => issue !== undefined);
}

export { allRisks, type RiskFlag, type RiskyTexts, riskFlags } from './risk-flags.ts';
