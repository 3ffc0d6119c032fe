/** The format of a file, by the extension of its name. A name without an extension leaves its place empty. */
export function FormatBadge({ name }: { name: string }) {
  const [, extension] = /\.(\w{1,5})$/.exec(name) ?? [];
  const format = extension?.toLowerCase();
  return (
    <span
      className={format && 'format'}
      data-format={format}
      translate="no"
      style={{ flex: 'none', minInlineSize: 44, padding: '2px 6px', textAlign: 'center' }}
    >
      {format}
    </span>
  );
}
