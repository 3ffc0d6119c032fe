import { describe, expect, test } from 'vitest';
import { foreignFormIssue } from '#server/translation/plausibility/additions.ts';
import { textPair } from '#server/translation/plausibility/text-pair.ts';

const issueOf = (sourceText: string, targetText: string) =>
  foreignFormIssue(textPair({ sourceText, targetText, sourceLang: 'en', targetLang: 'de' }));

describe('a response that is data, markup or code where the source is prose', () => {
  test.each([
    '{"score": 100, "issues": [], "passed": true}',
    '{"translation": "Der Zug"}',
    '[]',
    '<html><body></body></html>',
    '<!DOCTYPE html>\n<p>Der Zug</p>',
    '<?xml version="1.0"?><a/>',
    '```json\n{}\n```',
  ])('%j', (target) => {
    expect(issueOf('The train leaves.', target)).toMatchObject({ severity: 'critical' });
  });
});

describe('responses that are plausible', () => {
  test.each([
    ['{"a": "The train"}', '{"a": "Der Zug"}'],
    ['<b>The</b> train', '<b>Der</b> Zug'],
    ['The <b>train</b>', '<b>Der Zug</b> fährt'.slice(11)],
    ['```\nThe train\n```', '```\nDer Zug\n```'],
    ['Delete {{count}} items', '{{count}} Einträge löschen'],
    ['{name} is late', '{name} kommt zu spät'],
    ['{count, plural, one {# train} other {# trains}}', '{count, plural, one {# Zug} other {# Züge}}'],
    ['[note] The train', '[Anmerkung] Der Zug'],
    ['Is a < b?', '< b größer als a?'],
    ['', ''],
  ])('%j to %j', (source, target) => {
    expect(issueOf(source, target)).toBeUndefined();
  });
});
