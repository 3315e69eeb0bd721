import { addDays, type Day, weekdayOf } from './month.ts'

// Act on National Holidays (国民の祝日に関する法律) and acts for single days: name, date, first year, last year.
type DateInYear = (year: number) => Day
const holidayLaws: [string, DateInYear, number?, number?][] = [
  ['元日', fixedDate(1, 1), 1949],
  ['成人の日', fixedDate(1, 15), 1949, 1999],
  ['成人の日', nthMonday(2, 1), 2000],
  ['建国記念の日', fixedDate(2, 11), 1967],
  ['天皇誕生日', fixedDate(4, 29), 1949, 1988],
  ['天皇誕生日', fixedDate(12, 23), 1989, 2018],
  ['天皇誕生日', fixedDate(2, 23), 2020],
  ['春分の日', springEquinox, 1949],
  ['みどりの日', fixedDate(4, 29), 1989, 2006],
  ['みどりの日', fixedDate(5, 4), 2007],
  ['昭和の日', fixedDate(4, 29), 2007],
  ['憲法記念日', fixedDate(5, 3), 1949],
  ['こどもの日', fixedDate(5, 5), 1949],
  ['海の日', fixedDate(7, 20), 1996, 2002],
  ['海の日', nthMonday(3, 7), 2003, 2019],
  ['海の日', fixedDate(7, 23), 2020, 2020],
  ['海の日', fixedDate(7, 22), 2021, 2021],
  ['海の日', nthMonday(3, 7), 2022],
  ['山の日', fixedDate(8, 11), 2016, 2019],
  ['山の日', fixedDate(8, 10), 2020, 2020],
  ['山の日', fixedDate(8, 8), 2021, 2021],
  ['山の日', fixedDate(8, 11), 2022],
  ['敬老の日', fixedDate(9, 15), 1966, 2002],
  ['敬老の日', nthMonday(3, 9), 2003],
  ['秋分の日', autumnEquinox, 1948],
  ['体育の日', fixedDate(10, 10), 1966, 1999],
  ['体育の日', nthMonday(2, 10), 2000, 2019],
  ['スポーツの日', fixedDate(7, 24), 2020, 2020],
  ['スポーツの日', fixedDate(7, 23), 2021, 2021],
  ['スポーツの日', nthMonday(2, 10), 2022],
  ['文化の日', fixedDate(11, 3), 1948],
  ['勤労感謝の日', fixedDate(11, 23), 1948],
  ['皇太子明仁親王の結婚の儀', fixedDate(4, 10), 1959, 1959],
  ['昭和天皇の大喪の礼', fixedDate(2, 24), 1989, 1989],
  ['即位礼正殿の儀', fixedDate(11, 12), 1990, 1990],
  ['皇太子徳仁親王の結婚の儀', fixedDate(6, 9), 1993, 1993],
  ['天皇の即位の日', fixedDate(5, 1), 2019, 2019],
  ['即位礼正殿の儀', fixedDate(10, 22), 2019, 2019],
]

const SUBSTITUTES_SINCE: Day = '1973-04-12'
const EXTENDED_SUBSTITUTES_SINCE: Day = '2007-01-01'
const SANDWICHED_SINCE: Day = '1985-12-27'

const holidaysByYear = new Map<number, Map<Day, string>>()

/** Returns the name of a holiday by the current law; null on other days and before 20 July 1948. */
export function holidayName(day: Day): string | null {
  const year = Number(day.slice(0, 4))
  const holidays = holidaysByYear.get(year) ?? holidaysOf(year)
  holidaysByYear.set(year, holidays)
  return holidays.get(day) ?? null
}

export function holidaysOf(year: number): Map<Day, string> {
  const namedDays = new Map(
    holidayLaws
      .filter(([, , first = year, last = year]) => first <= year && year <= last)
      .map(([name, dateIn]) => [dateIn(year), name]),
  )
  const holidays = new Map(namedDays)
  for (const day of namedDays.keys()) {
    if (weekdayOf(day) === 0 && day >= SUBSTITUTES_SINCE) {
      const substitute = day < EXTENDED_SUBSTITUTES_SINCE ? addDays(day, 1) : firstDayNotIn(namedDays, day)
      if (!namedDays.has(substitute)) holidays.set(substitute, '振替休日')
    }
  }
  for (const day of namedDays.keys()) {
    const middle = addDays(day, 1)
    const sandwiched = namedDays.has(addDays(day, 2)) && !holidays.has(middle) && weekdayOf(middle) !== 0
    if (sandwiched && middle >= SANDWICHED_SINCE) holidays.set(middle, '国民の休日')
  }
  return holidays
}

function firstDayNotIn(namedDays: Map<Day, string>, day: Day): Day {
  return namedDays.has(day) ? firstDayNotIn(namedDays, addDays(day, 1)) : day
}

function fixedDate(month: number, date: number): DateInYear {
  return (year) => `${year}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`
}

function nthMonday(nth: number, month: number): DateInYear {
  return (year) => {
    const first = fixedDate(month, 1)(year)
    return addDays(first, ((8 - weekdayOf(first)) % 7) + (nth - 1) * 7)
  }
}

// Formula for 1851 to 2150 that agrees with the National Astronomical Observatory. Official dates exist one year ahead.
function springEquinox(year: number) {
  return fixedDate(3, equinox(year, year < 1980 ? 20.8357 : year < 2100 ? 20.8431 : 21.851))(year)
}

function autumnEquinox(year: number) {
  return fixedDate(9, equinox(year, year < 1980 ? 23.2588 : year < 2100 ? 23.2488 : 24.2488))(year)
}

function equinox(year: number, dateIn1980: number) {
  return Math.floor(dateIn1980 + 0.242194 * (year - 1980) - Math.trunc((year - (year < 1980 ? 1983 : 1980)) / 4))
}
