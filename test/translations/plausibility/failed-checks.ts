import { addedLinkIssue } from '#server/translation/plausibility/additions.ts';
import { echoIssue } from '#server/translation/plausibility/echo.ts';
import { languageIssue } from '#server/translation/plausibility/language.ts';
import { lengthIssue, sentenceIssue } from '#server/translation/plausibility/length-ratio.ts';
import { loopIssue } from '#server/translation/plausibility/loop.ts';
import { refusalIssue } from '#server/translation/plausibility/refusal.ts';
import { scriptIssue } from '#server/translation/plausibility/script.ts';
import { textPair } from '#server/translation/plausibility/text-pair.ts';

const checks = {
  length: lengthIssue,
  sentences: sentenceIssue,
  echo: echoIssue,
  script: scriptIssue,
  language: languageIssue,
  loop: loopIssue,
  refusal: refusalIssue,
  link: addedLinkIssue,
};

export type Check = keyof typeof checks;

/** The checks that find a translation implausible. Each check runs separately. */
export function failedChecks(
  sourceLang: string,
  sourceText: string,
  targetLang: string,
  targetText: string,
): Check[] {
  const pair = textPair({ sourceText, targetText, sourceLang, targetLang });
  return (Object.keys(checks) as Check[]).filter((check) => checks[check](pair) !== undefined);
}
