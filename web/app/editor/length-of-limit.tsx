import { useT } from '../i18n.tsx';
import { Text } from '../kit/text.tsx';

/** The length of a translation and its limit. The service alone computes widths in pixels. */
export default function LengthOfLimit({
  text,
  most,
  unit,
}: {
  text: string;
  most: number;
  unit: string | null | undefined;
}) {
  const t = useT();
  if (unit?.includes('px'))
    return `${t('editor.characters', { count: [...text].length })}, ${t('editor.at_most_pixels', { most, unit })}`;
  const count = unit === 'graphemes' ? [...new Intl.Segmenter().segment(text)].length : [...text].length;
  return (
    <Text {...(count > most && { tone: 'crit', weight: 'semi' })}>
      {t('editor.characters_of', { count, most })}
    </Text>
  );
}
