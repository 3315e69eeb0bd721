import { addDays, type Day, weekdayOf } from './month.ts'

// Holidays by the Act on National Holidays (国民の祝日に関する法律) and by acts for single days. Each has its name, its date
// and, unless it is still valid, its first and last year.
type DayOfYear = (year: number) => Day
const acts: [string, DayOfYear, number?, number?][] = [
  ['元日', on(1, 1), 1949],
  ['成人の日', on(1, 15), 1949, 1999],
  ['成人の日', monday(2, 1), 2000],
  ['建国記念の日', on(2, 11), 1967],
  ['天皇誕生日', on(4, 29), 1949, 1988],
  ['天皇誕生日', on(12, 23), 1989, 2018],
  ['天皇誕生日', on(2, 23), 2020],
  ['春分の日', springEquinox, 1949],
  ['みどりの日', on(4, 29), 1989, 2006],
  ['みどりの日', on(5, 4), 2007],
  ['昭和の日', on(4, 29), 2007],
  ['憲法記念日', on(5, 3), 1949],
  ['こどもの日', on(5, 5), 1949],
  ['海の日', on(7, 20), 1996, 2002],
  ['海の日', monday(3, 7), 2003, 2019],
  ['海の日', on(7, 23), 2020, 2020],
  ['海の日', on(7, 22), 2021, 2021],
  ['海の日', monday(3, 7), 2022],
  ['山の日', on(8, 11), 2016, 2019],
  ['山の日', on(8, 10), 2020, 2020],
  ['山の日', on(8, 8), 2021, 2021],
  ['山の日', on(8, 11), 2022],
  ['敬老の日', on(9, 15), 1966, 2002],
  ['敬老の日', monday(3, 9), 2003],
  ['秋分の日', autumnEquinox, 1948],
  ['体育の日', on(10, 10), 1966, 1999],
  ['体育の日', monday(2, 10), 2000, 2019],
  ['スポーツの日', on(7, 24), 2020, 2020],
  ['スポーツの日', on(7, 23), 2021, 2021],
  ['スポーツの日', monday(2, 10), 2022],
  ['文化の日', on(11, 3), 1948],
  ['勤労感謝の日', on(11, 23), 1948],
  ['皇太子明仁親王の結婚の儀', on(4, 10), 1959, 1959],
  ['昭和天皇の大喪の礼', on(2, 24), 1989, 1989],
  ['即位礼正殿の儀', on(11, 12), 1990, 1990],
  ['皇太子徳仁親王の結婚の儀', on(6, 9), 1993, 1993],
  ['天皇の即位の日', on(5, 1), 2019, 2019],
  ['即位礼正殿の儀', on(10, 22), 2019, 2019],
]

const SUBSTITUTES_SINCE: Day = '1973-04-12'
const SUBSTITUTES_GO_ON_SINCE: Day = '2007-01-01'
const SANDWICHED_SINCE: Day = '1985-12-27'

const years = new Map<number, Map<Day, string>>()

/** Returns the name of a holiday by the current law; null on other days and before 20 July 1948. */
export function holidayName(day: Day): string | null {
  const year = Number(day.slice(0, 4))
  const holidays = years.get(year) ?? holidaysOf(year)
  years.set(year, holidays)
  return holidays.get(day) ?? null
}

export function holidaysOf(year: number): Map<Day, string> {
  const named = new Map(
    acts
      .filter(([, , first = year, last = year]) => first <= year && year <= last)
      .map(([name, when]) => [when(year), name]),
  )
  const holidays = new Map(named)
  for (const day of named.keys()) {
    if (weekdayOf(day) === 0 && day >= SUBSTITUTES_SINCE) {
      const free = day < SUBSTITUTES_GO_ON_SINCE ? addDays(day, 1) : firstNotIn(named, day)
      if (!named.has(free)) holidays.set(free, '振替休日')
    }
  }
  for (const day of named.keys()) {
    const between = addDays(day, 1)
    const sandwiched = named.has(addDays(day, 2)) && !holidays.has(between) && weekdayOf(between) !== 0
    if (sandwiched && between >= SANDWICHED_SINCE) holidays.set(between, '国民の休日')
  }
  return holidays
}

function firstNotIn(named: Map<Day, string>, day: Day): Day {
  return named.has(day) ? firstNotIn(named, addDays(day, 1)) : day
}

function on(month: number, date: number): DayOfYear {
  return (year) => `${year}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`
}

function monday(nth: number, month: number): DayOfYear {
  return (year) => {
    const first = on(month, 1)(year)
    return addDays(first, ((8 - weekdayOf(first)) % 7) + (nth - 1) * 7)
  }
}

// Formula for 1851 to 2150 that agrees with the National Astronomical Observatory. Official dates exist one year ahead.
function springEquinox(year: number) {
  return on(3, equinox(year, year < 1980 ? 20.8357 : year < 2100 ? 20.8431 : 21.851))(year)
}

function autumnEquinox(year: number) {
  return on(9, equinox(year, year < 1980 ? 23.2588 : year < 2100 ? 23.2488 : 24.2488))(year)
}

function equinox(year: number, in1980: number) {
  return Math.floor(in1980 + 0.242194 * (year - 1980) - Math.trunc((year - (year < 1980 ? 1983 : 1980)) / 4))
}
