import type { QualityIssue } from '#server/engines/engine.ts';
import { addedLinkIssue, foreignFormIssue, hiddenCharactersIssue } from './additions.ts';
import { echoIssue } from './echo.ts';
import { languageIssue } from './language.ts';
import { lengthIssue } from './length-ratio.ts';
import { loopIssue } from './loop.ts';
import { refusalIssue } from './refusal.ts';
import { textPair } from './text-pair.ts';
import { scriptIssue } from './wrong-script.ts';

/**
 * What cannot be a translation of `sourceText`, whatever a judging model says of it: an echo, an answer that is far too
 * short or long, in a wrong script or language, a model's loop, a refusal or remark, a link out of nowhere, data or code.
 * Every issue is critical. Of echo, script and language, which often are one fault, the first is answered.
 *
 * The texts are plain text (of HTML, its text nodes, one a line). Any string is accepted; time and memory are linear, and
 * of more than 64,000 UTF-16 units start, middle and end are read. The languages are canonical codes of B 2.4.
 */
export function checkPlausibility(input: {
  sourceText: string;
  targetText: string;
  sourceLang: string;
  targetLang: string;
}): QualityIssue[] {
  const pair = textPair(input);
  return [
    lengthIssue(pair),
    echoIssue(pair) ?? scriptIssue(pair) ?? languageIssue(pair),
    loopIssue(pair),
    refusalIssue(pair),
    addedLinkIssue(pair),
    foreignFormIssue(pair),
    hiddenCharactersIssue(input.sourceText, input.targetText),
  ].filter((issue) => issue !== undefined);
}

export { riskFlags } from './risk-flags.ts';
