import { X } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { isComposing } from '../../keys/match-key.ts';
import { useFormat } from '../../parts/format.ts';
import { languageOf } from '../../parts/language-text.tsx';
import { lengthOf } from '../../parts/text-measure.ts';
import styles from './panes.module.css';

/** The field for the text to translate, with its length. Ctrl+Enter submits. @param children notes about the text */
export function SourceText({
  field,
  text,
  language,
  problem,
  takesFiles,
  onText,
  submit,
  children,
}: {
  field: RefObject<HTMLTextAreaElement | null>;
  text: string;
  language: string;
  problem: string | undefined;
  takesFiles: boolean;
  onText: (text: string) => void;
  submit: () => void;
  children: ReactNode;
}) {
  const t = useT();
  const { number } = useFormat();
  return (
    <>
      <textarea
        ref={field}
        {...languageOf(language)}
        translate="no"
        className={styles.source}
        aria-label={t('translate.source')}
        placeholder={t(takesFiles ? 'translate.placeholder' : 'translate.placeholder_text')}
        value={text}
        aria-invalid={problem !== undefined}
        aria-describedby="source-problem source-length"
        onChange={({ target }) => onText(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          if (!isComposing(event.nativeEvent)) submit();
        }}
      />
      <div className={styles.notes}>
        <p id="source-problem" className={styles.problem}>
          {problem}
        </p>
        {children}
        <div className={styles.count}>
          <span id="source-length">
            {t('translate.length', {
              length: number(lengthOf(text)),
              most: number(deployment.maxSourceChars),
            })}
          </span>
          {text !== '' && (
            <button
              type="button"
              className="ghost icon"
              aria-label={t('translate.clear')}
              title={t('translate.clear')}
              onClick={() => {
                onText('');
                field.current?.focus();
              }}
            >
              <X size={17} aria-hidden />
            </button>
          )}
        </div>
      </div>
    </>
  );
}
