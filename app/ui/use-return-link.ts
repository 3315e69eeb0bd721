import { useLocation, useNavigate } from 'react-router'

/** Returns a function that closes a dialog with its own URL. Links to the dialog must set `state={{ over: true }}`. */
export function useReturnLink(page: string) {
  const { state } = useLocation()
  const navigate = useNavigate()
  return () => {
    if (state?.over === true) navigate(-1)
    else navigate(page, { replace: true, preventScrollReset: true })
  }
}
