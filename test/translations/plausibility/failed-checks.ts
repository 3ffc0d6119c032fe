import { addedLinkIssue } from '#server/translations/plausibility/additions.ts';
import { echoIssue } from '#server/translations/plausibility/echo.ts';
import { languageIssue } from '#server/translations/plausibility/language.ts';
import { lengthIssue } from '#server/translations/plausibility/length-ratio.ts';
import { loopIssue } from '#server/translations/plausibility/loop.ts';
import { refusalIssue } from '#server/translations/plausibility/refusal.ts';
import { scriptIssue } from '#server/translations/plausibility/script.ts';
import { textPair } from '#server/translations/plausibility/text-pair.ts';

const checks = {
  length: lengthIssue,
  echo: echoIssue,
  script: scriptIssue,
  language: languageIssue,
  loop: loopIssue,
  refusal: refusalIssue,
  link: addedLinkIssue,
};

export type Check = keyof typeof checks;

/** The checks that find a text implausible, each run by itself. */
export function failedChecks(
  sourceLang: string,
  sourceText: string,
  targetLang: string,
  targetText: string,
): Check[] {
  const pair = textPair({ sourceText, targetText, sourceLang, targetLang });
  return (Object.keys(checks) as Check[]).filter((check) => checks[check](pair) !== undefined);
}
