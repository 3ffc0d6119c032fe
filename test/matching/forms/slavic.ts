/**
 * Each line contains a term, then after "=" forms of the term that must count, and after "≠" similar words that must
 * not count.
 */
export const slavic = {
  ru: `
договор = договора, договору, договором, договоре, договоры, договоров, договорам, договорами ≠ разговор, договориться, договорённость
счёт = счета, счету, счётом, счетов ≠ счётчик, счастье, считать
рынок = рынка, рынку, рынком, рынке, рынки, рынков ≠ рында, рыночный
стоимость = стоимости, стоимостью, стоимостей ≠ стоянка, стойкость
организация = организации, организацию, организацией, организаций ≠ организатор, организм, орган
обязательство = обязательства, обязательству, обязательств, обязательствами ≠ обязательный, обязанность
сделка = сделки, сделку, сделок, сделке, сделками ≠ сделать, сдельный
покупатель = покупателя, покупателем, покупатели, покупателей ≠ покупка, покупать
персональные данные = персональных данных, персональным данным, персональными данными ≠ персональный компьютер, данные, персонал
налог = налога, налогом, налоги, налогов ≠ налоговый, налёт, наложить
условие = условия, условием, условий, условиям ≠ условный, усилие, условиться`,
  uk: `
договір = договору, договором, договори, договорів, договорі ≠ договірний, розмова, договорити
рахунок = рахунку, рахунком, рахунки, рахунків ≠ рахувати, рахівник
послуга = послуги, послугу, послуг, послугою, послугами, послузі ≠ послух, послання, послугувати
організація = організації, організацію, організацією, організацій ≠ організатор, організм
вартість = вартості, вартістю ≠ вартовий, варта, вартувати
зобов'язання = зобов'язань, зобов'язанням, зобов'язаннями ≠ обов'язок, зобов'язати
покупець = покупця, покупцем, покупці, покупців ≠ покупка, купець
особа = особи, особу, осіб, особою, особам ≠ особливий, особистий
податок = податку, податки, податків ≠ подати, подарунок
умова = умови, умову, умов, умовами ≠ умовний, уміння, мова`,
  pl: `
umowa = umowy, umowę, umową, umowie, umów, umowom, umowami, umowach ≠ umowny, umocować, mowa, umówić
faktura = faktury, fakturze, fakturę, faktur, fakturami ≠ faktor, faktyczny, fakt
rachunek = rachunku, rachunkiem, rachunki, rachunków, rachunkowi ≠ rachunkowość, rachować, rabunek
usługa = usługi, usłudze, usługę, usług, usługami ≠ usłużny, sługa, usługowy
klient = klienta, klientem, klienci, klientów, klientowi, kliencie ≠ klinika, klimat, klientela
przedsiębiorstwo = przedsiębiorstwa, przedsiębiorstwem, przedsiębiorstw, przedsiębiorstwie ≠ przedsiębiorca, przedsięwzięcie
samochód = samochodu, samochody, samochodem, samochodów, samochodzie ≠ samolot, samochodowy
należność = należności, należnością ≠ należny, należeć, zależność
dane osobowe = danych osobowych, danym osobowym, danymi osobowymi ≠ dane, osobowy, dane finansowe
sprzedawca = sprzedawcy, sprzedawcą, sprzedawcę, sprzedawców ≠ sprzedaż, sprzedawać
zamówienie = zamówienia, zamówieniu, zamówieniem, zamówień, zamówieniami ≠ zamówiony, zamek`,
  cs: `
smlouva = smlouvy, smlouvu, smlouvou, smlouvě, smluv, smlouvám, smlouvách ≠ smluvní, sloučit, mluva
účet = účtu, účtem, účty, účtů, účtech ≠ účtenka, účetní, účel
služba = služby, službu, službou, služeb, službám ≠ sluha, služebný, sloužit
společnost = společnosti, společností, společnostem ≠ společný, společník
kupující = kupujícího, kupujícímu, kupujícím ≠ kupovat, kupec
faktura = faktury, fakturu, faktuře, fakturou, faktur ≠ faktor, fakt, fraktura
osobní údaj = osobních údajů, osobního údaje, osobní údaje, osobním údajům ≠ osobní, údaj, osobní vůz
zákazník = zákazníka, zákazníkovi, zákazníci, zákazníků, zákazníkem ≠ zákaz, zakázka
dům = domu, domy, domů, domem ≠ dumat, důl, dáma
rozhodnutí = rozhodnutím, rozhodnutích ≠ rozhodčí, rozhodnout
cena = ceny, cenu, cenou, ceně, cen, cenám ≠ cenzura, cenový, ceník`,
};
