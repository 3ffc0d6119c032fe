import { type ReactNode, type RefObject, useId } from 'react';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { languageOf } from '../../parts/language-text.tsx';
import styles from './translate.module.css';

/** A text field that has the language and direction of its text, and that grows with the text. */
export function SourceField({
  field,
  label,
  text,
  language,
  problem,
  isTall = false,
  onChange,
  children,
}: {
  field?: RefObject<HTMLTextAreaElement | null>;
  label: string;
  text: string;
  language: string;
  problem: string | undefined;
  /** Whether this is the main field of the form. */
  isTall?: boolean;
  onChange: (text: string) => void;
  /** A note about the text. */
  children?: ReactNode;
}) {
  const about = useId();
  return (
    <div className={isTall ? `${styles.source} ${styles.tall}` : styles.source}>
      <label>
        {label}
        <textarea
          ref={field}
          {...languageOf(language)}
          translate="no"
          value={text}
          aria-invalid={problem !== undefined}
          aria-describedby={about}
          onChange={({ target }) => onChange(target.value)}
        />
      </label>
      <div id={about}>
        {problem && <p className={styles.problem}>{problem}</p>}
        {children}
      </div>
    </div>
  );
}

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
