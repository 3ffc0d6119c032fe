import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { detected } from '../../parts/source-language.tsx';
import { lengthOf, weightOf } from '../../parts/text-measure.ts';
import styles from './options.module.css';

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
    <section className={styles.cost}>
      <h3>{t('translate.cost')}</h3>
      {isKnown && lengths.length > 0 && (
        <ul>
          {to.map((target) => (
            <li key={target}>
              <span>{nameOf(target)}</span>
              <span>{t('translate.characters', { length: number(weight(target)) })}</span>
            </li>
          ))}
        </ul>
      )}
      <p className="hint">{t('translate.cost_hint')}</p>
    </section>
  );
}
