# Manual pages and completion, written by the program itself from what --help shows (src/cli/pages.h).
set(pages ${CMAKE_BINARY_DIR}/pages)
add_custom_command(OUTPUT ${pages}/cornet.bash COMMAND ${CMAKE_COMMAND} -E rm -rf ${pages} COMMAND cornet_cli pages ${pages}
  DEPENDS cornet_cli COMMENT "Writing manual pages and completion" VERBATIM)
add_custom_target(cornet_pages ALL DEPENDS ${pages}/cornet.bash)

install(DIRECTORY ${pages}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES ${pages}/cornet.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME cornet COMPONENT program)
# zsh looks below /usr/local in the first folder, Debian's zsh below /usr in the second.
foreach(folder site-functions vendor-completions)
  install(FILES ${pages}/_cornet DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${folder} COMPONENT program)
endforeach()
