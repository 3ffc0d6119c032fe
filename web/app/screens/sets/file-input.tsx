import type { InputHTMLAttributes, Ref } from 'react';
import { useT } from '../../i18n.tsx';
import styles from './sets.module.css';

/**
 * A field that takes files, selected or dropped, and shows their names. The browser's own field covers it unseen, because
 * its words are in the language of the browser.
 */
export function FileInput({
  files,
  onFiles,
  ...rest
}: {
  ref?: Ref<HTMLInputElement>;
  files: readonly File[];
  onFiles: (files: File[]) => void;
} & Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'onChange' | 'value'>) {
  const t = useT();
  return (
    <span className={styles.files}>
      {files.length === 0 ? (
        <span aria-hidden>{t('align.drop')}</span>
      ) : (
        <bdi className={styles.chosen}>{files.map(({ name }) => name).join(', ')}</bdi>
      )}
      <span className="button" aria-hidden>
        {t('align.select_file')}
      </span>
      <input type="file" {...rest} onChange={({ target }) => onFiles([...(target.files ?? [])])} />
    </span>
  );
}
