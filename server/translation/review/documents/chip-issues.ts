import { type ChipProblem, chipProblems } from '#server/formats/chips.ts';
import type { FormatKind, InlineContent } from '#server/formats/inline-content.ts';
import type { QualityIssue } from '#server/platform/engines/engine.ts';

const formatNames: Readonly<Record<FormatKind, string>> = {
  superscript: 'superscript',
  subscript: 'subscript',
  bold: 'bold',
  italic: 'italics',
  underline: 'underline',
  strike: 'strikethrough',
  other: 'formatting',
};

const explanations: Readonly<Record<ChipProblem['problem'], (name: string) => string>> = {
  missing: (name) => `The ${name} of the source is missing.`,
  overlaps: (name) => `The ${name} overlaps another tag.`,
  empty: (name) => `The ${name} has no text.`,
};

/**
 * Returns the issues of the tags in a reviewer's translation. Only missing content, such as a picture, is critical. A
 * translation may need no formatting, and the file keeps a missing link. The pairs of a PDF are styles.
 */
export function chipIssues(source: InlineContent, target: InlineContent): QualityIssue[] {
  return chipProblems(source, target).map(({ tag, isPair, format, problem }) => {
    const written = isPair ? `<${tag}>…</${tag}>` : `<${tag}/>`;
    const name = format ? `tag ${written} (${formatNames[format]})` : `tag ${written}`;
    return {
      severity: problem !== 'missing' || format ? 'minor' : isPair ? 'major' : 'critical',
      category: format ? 'style' : 'accuracy',
      span: null,
      explanation: explanations[problem](name),
      suggestion: problem === 'missing' ? 'Insert it.' : 'Put it around its words.',
    };
  });
}
