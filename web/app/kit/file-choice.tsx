import type { CSSProperties } from 'react';

const link: CSSProperties = {
  display: 'inline',
  color: 'var(--petrol)',
  textDecoration: 'underline',
  textUnderlineOffset: 3,
};

/**
 * A button that opens the dialog of the browser to select files.
 * @param name the name for screen readers, if the label does not say all
 * @param isLink whether it looks like a link within a sentence
 */
export function FileChoice({
  label,
  name = label,
  accept,
  isLink = false,
  onFiles,
}: {
  label: string;
  name?: string;
  accept: string;
  isLink?: boolean;
  onFiles: (files: File[]) => void;
}) {
  return (
    <label className={isLink ? 'file-choice' : 'button file-choice'} style={isLink ? link : undefined}>
      {label}
      <input
        type="file"
        multiple
        accept={accept}
        aria-label={name}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          // The same file can be selected again.
          target.value = '';
        }}
      />
    </label>
  );
}
