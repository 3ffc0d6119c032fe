import type { Includable } from '#server/formats/selection.ts';
import type { MessageId } from '../i18n.tsx';

/** The names of the texts that a request can include. */
export const includableNames: Readonly<Record<Includable, MessageId>> = {
  footnotes: 'documents.reason_footnotes',
  endnotes: 'documents.reason_endnotes',
  comments: 'documents.reason_comments',
  text_boxes: 'documents.reason_text_boxes',
  content_controls: 'documents.reason_content_controls',
  tracked_changes: 'documents.reason_tracked_changes',
  charts: 'documents.reason_charts',
  table_headers: 'documents.reason_table_headers',
  sheet_names: 'documents.reason_sheet_names',
  masters: 'documents.reason_masters',
  hidden: 'documents.reason_hidden',
};

/** The names of the texts that are kept, by the reason in the receipt. */
export const reasonNames: Readonly<Record<string, MessageId>> = {
  ...includableNames,
  address: 'documents.reason_address',
  alternative_texts: 'documents.reason_alternative_texts',
  annotations: 'documents.reason_annotations',
  bookmarks: 'documents.reason_bookmarks',
  clipped: 'documents.reason_hidden',
  code: 'documents.reason_code',
  columns: 'documents.reason_columns',
  covered: 'documents.reason_hidden',
  diagrams: 'documents.reason_diagrams',
  dropdown_lists: 'documents.reason_dropdown_lists',
  embedded_documents: 'documents.reason_embedded_documents',
  fields: 'documents.reason_fields',
  form_fields: 'documents.reason_form_fields',
  formula: 'documents.reason_formula',
  formula_result: 'documents.reason_formula_result',
  headers_and_footers: 'documents.reason_headers_and_footers',
  identifier: 'documents.reason_identifier',
  invisible: 'documents.reason_hidden',
  label: 'documents.reason_label',
  leader: 'documents.reason_leader',
  not_translatable: 'documents.reason_not_translatable',
  number: 'documents.reason_number',
  other_language: 'documents.reason_other_language',
  pages: 'documents.reason_pages',
  pivot_tables: 'documents.reason_pivot_tables',
  tips: 'documents.reason_tips',
  translated_before: 'documents.reason_translated_before',
};
