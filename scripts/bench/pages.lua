-- Requests the pages that a file lists, one after the other: wrk … -- FILE NUMBER, from a
-- number on.
local pages, at = {}, 0

function init(args)
  for line in io.lines(args[1]) do pages[#pages + 1] = wrk.format("GET", line) end
  at = tonumber(args[2])
end

function request()
  at = at + 1
  return pages[at % #pages + 1]
end
