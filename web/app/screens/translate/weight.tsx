import { useT } from '../../i18n.tsx';
import { Row, Stack } from '../../kit/box.tsx';
import { Text } from '../../kit/text.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { detected } from '../../parts/source-language.tsx';
import { lengthOf, weightOf } from '../../parts/text-measure.ts';

/**
 * Shown instead of the weight while the source language is unknown: the weight of a character depends on the language.
 */
export function WeightOfDetected() {
  const t = useT();
  return <p className="hint">{t('translate.weight_detected')}</p>;
}

/**
 * Shows how many weighted characters the translations will use from the allowance.
 * @param weights the weight of each translation
 */
export function Weight({ weights }: { weights: readonly number[] }) {
  const t = useT();
  const { number } = useFormat();
  const sum = weights.reduce((total, one) => total + one, 0);
  if (sum === 0) return null;
  return <p className="hint">{t('translate.weight', { weight: number(sum), count: weights.length })}</p>;
}

/**
 * What the translation of texts uses from the allowance, for each language. Options change nothing, which is said here,
 * too.
 */
export function Cost({ texts, from, to }: { texts: readonly string[]; from: string; to: readonly string[] }) {
  const t = useT();
  const { number } = useFormat();
  const { nameOf } = useLanguages();
  const isKnown = from !== detected;
  const lengths = texts.map(lengthOf).filter((length) => length > 0);
  const weight = (target: string) => lengths.reduce((sum, length) => sum + weightOf(length, from, target), 0);
  return (
    <Stack as="section" gap={1}>
      <Text as="h3" size="sm" weight="medium">
        {t('translate.cost')}
      </Text>
      {isKnown && lengths.length > 0 && (
        <Stack as="ul" gap={1}>
          {to.map((target) => (
            <Row as="li" key={target} justify="space-between">
              <Text size="sm">{nameOf(target)}</Text>
              <Text size="sm" isNumeric>
                {t('translate.characters', { length: number(weight(target)) })}
              </Text>
            </Row>
          ))}
        </Stack>
      )}
      <p className="hint">{t('translate.cost_hint')}</p>
    </Stack>
  );
}
