import type { GlossaryColumn } from '../glossary-file.ts';
import { glossaryColumns } from '../glossary-file.ts';

/** Other names of the columns, as files have them, in the form of `normalName`. */
const aliases: Partial<Record<GlossaryColumn, string>> = {
  source_term: `source src_term term_source source_string terme_source término_origen término_de_origen
    término_fuente ausgangsbegriff ausgangsterm quellbegriff quellterm ausgangsbenennung termine_di_partenza
    termo_de_origem bronterm 术语 原文 源术语 原語 용어`,
  target_term: `target tgt_term term_target target_string terme_cible término_meta término_destino
    término_de_destino zielbegriff zielterm zielbenennung termine_di_arrivo termo_de_destino doelterm
    翻译 译文 译名 目标术语 訳語 번역 번역문`,
  source_lang: 'source_language src_lang from_lang',
  target_lang: 'target_language tgt_lang to_lang',
  case_sensitive: 'casesensitive',
  definition: `description term_definition concept_definition meaning
    definición definiciones définition definizione definição beschreibung begriffsbestimmung definicja definice definíció определение визначення definiție 定義 定义 정의 تعريف`,
  note: `notes comment comments remark remarks usage_note term_note concept_note
    anmerkung anmerkungen bemerkung bemerkungen kommentar kommentare hinweis hinweise notiz notizen
    nota notas comentario comentarios observación observaciones comentário comentários observação observações
    remarque remarques commentaire commentaires note_d_usage commento commenti osservazioni opmerking opmerkingen
    megjegyzés megjegyzések poznámka poznámky uwaga uwagi komentarz примечание примечания комментарий комментарии
    примітка примітки коментар notă observații anteckning anmärkning huomautus bemærkning merknad açıklama notlar
    備考 コメント 비고 备注 注释 ملاحظة ملاحظات`,
  part_of_speech: 'pos partofspeech word_class wortart categoría_gramatical catégorie_grammaticale 品詞',
  gender: 'grammatical_gender genus género genre genere gênero',
  status: 'term_status usage_status administrative_status',
  do_not_translate:
    'donottranslate dnt non_translatable nontranslatable nicht_übersetzen no_traducir ne_pas_traduire',
  domain: 'subject subject_field concept_subject fachgebiet sachgebiet dominio domaine ámbito 分野',
  picture: 'picture_url image image_url graphic illustration',
  forbidden_term: `forbidden is_forbidden forbidden_terms forbidden_translation forbidden_translations
    don_t_use dont_use do_not_use not_to_be_used never_use avoid deprecated deprecated_terms deprecated_term
    deprecated_translation prohibited prohibited_term prohibited_terms banned banned_term banned_terms not_recommended
    wrong incorrect nicht_verwenden nicht_benutzen nicht_verwendet verboten verbotene_benennung verbotene_benennungen verbotene_begriffe verbotener_begriff
    vermeiden
    no_usar no_utilizar prohibido término_prohibido términos_prohibidos evitar
    ne_pas_utiliser ne_pas_employer interdit terme_interdit termes_interdits à_éviter termes_à_éviter terme_à_éviter
    não_usar não_utilizar proibido non_usare non_utilizzare vietato da_evitare nie_używać не_использовать запрещено не_використовувати nepoužívat niet_gebruiken verboden
    使用禁止 使用不可 禁用 禁止 لا_تستخدم`,
};

/** The column of each name. */
export const columnOfName: ReadonlyMap<string, GlossaryColumn> = new Map(
  glossaryColumns.flatMap((column): [string, GlossaryColumn][] =>
    [column, ...(aliases[column]?.split(/\s+/) ?? [])].map((name) => [name, column]),
  ),
);

/** Names of columns that no glossary has: of identifiers, places, dates, states and people. */
export const otherNames: ReadonlySet<string> = new Set(
  `id key no nr number category field type context example url tags index row entry code uid uuid guid
  lfd_nr nummer número numéro numero n num term_id concept_id entry_id ident kennung kategorie beispiel kontext quelle
  date created created_at created_on created_by changed changed_at changed_on changed_by modified modified_at
  modified_on modified_by updated updated_at updated_on updated_by last_change last_changed last_modified last_updated
  change_date creation_date modification_date timestamp version revision valid_from valid_until datum stand
  erstellt erstellt_am geändert geändert_am änderung letzte_änderung fecha creado modificado fecha_de_cambio data
  date_de_modification créé modifié modificato aggiornato criado
  state approved approval reviewed workflow workflow_status approval_status review_status process_status zustand
  freigabe freigegeben estado aprobado statut état stato source_file project client customer product projekt kunde
  author editor user owner creator reviewer approver approved_by reviewed_by translator autor bearbeiter auteur autore
  番号 日付 状態 更新日 作成者 编号 日期 状态 رقم التاريخ الحالة`.split(/\s+/),
);

/** Returns the form of a name that is compared: spaces, punctuation and symbols count as underscores. */
export function normalName(cell: string): string {
  return cell
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\s\p{P}\p{S}]+/gu, '_')
    .replace(/^_|_$/g, '');
}
