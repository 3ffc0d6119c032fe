import { expect, test } from 'vitest';
import { documentTypes } from '#sdk/document-types.ts';
import { layoutKinds } from '#server/formats/layout-kinds.ts';

test('the SDK has the extensions and media types of all formats of the service', () => {
  const expected = Object.values(layoutKinds).flatMap(({ extensions, mediaType }) =>
    extensions.map((extension) => [`.${extension}`, mediaType]),
  );
  expect(documentTypes).toEqual(Object.fromEntries(expected));
});
