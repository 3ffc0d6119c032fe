import type { InputHTMLAttributes, Ref } from 'react';
import { useT } from '../../i18n.tsx';
import { Row } from '../../kit/box.tsx';
import { Text } from '../../kit/text.tsx';

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
    <span
      className="drop-area file-choice"
      style={{ display: 'block', padding: 'var(--s-3) var(--s-4)', borderRadius: 'var(--r-md)' }}
    >
      <Row as="span" justify="space-between">
        {files.length === 0 ? (
          <Text aria-hidden tone="soft">
            {t('align.drop')}
          </Text>
        ) : (
          <bdi>{files.map(({ name }) => name).join(', ')}</bdi>
        )}
        <span className="button" aria-hidden>
          {t('align.select_file')}
        </span>
      </Row>
      <input type="file" {...rest} onChange={({ target }) => onFiles([...(target.files ?? [])])} />
    </span>
  );
}
