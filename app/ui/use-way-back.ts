import { useLocation, useNavigate } from 'react-router'

/**
 * Closes what lies over a page and has an address of its own: back to the page, as the phone's own way back does, where a
 * link that said so led here (`state={{ over: true }}`); else to `page`, in the place of this address.
 */
export function useWayBack(page: string) {
  const { state } = useLocation()
  const navigate = useNavigate()
  return () => {
    if (state?.over === true) navigate(-1)
    else navigate(page, { replace: true, preventScrollReset: true })
  }
}
