import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';

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
