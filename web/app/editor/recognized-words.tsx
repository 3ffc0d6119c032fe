import { useT } from '../i18n.tsx';
import { Text } from '../kit/text.tsx';
import { useFormat } from '../parts/format.ts';
import type { EditedSegment } from './segment.ts';

/**
 * The words of a text that was recognized in a picture. Uncertain ones are marked, with their confidence; the others
 * show it as a tooltip. The preview shows the picture.
 */
export default function RecognizedWords({
  words,
  language,
}: {
  words: NonNullable<EditedSegment['words']>;
  language: string;
}) {
  const t = useT();
  const { percent } = useFormat();
  return (
    <Text as="div" size="sm" tone="faint">
      <span>{t('editor.recognized', { count: words.filter(({ uncertain }) => uncertain).length })}</span>
      <p lang={language} dir="auto">
        {words.map(({ text, confidence, uncertain }, index) => {
          const label = percent(confidence / 100);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the words of a segment do not change
            <span key={index} title={label}>
              {uncertain ? (
                <mark>
                  {text} <small>{label}</small>
                </mark>
              ) : (
                text
              )}{' '}
            </span>
          );
        })}
      </p>
    </Text>
  );
}
